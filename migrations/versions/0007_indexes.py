"""Indexes for long books, and the name of a game's rules"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.add_column(sa.Column("rules_name", sa.String(length=500), nullable=False, server_default=""))
    game = sa.table("game", sa.column("rules", sa.JSON), sa.column("rules_name", sa.String))
    name = sa.func.coalesce(game.c.rules["name"].as_string(), "")
    op.execute(game.update().values(rules_name=sa.func.substr(name, 1, 500)))

    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_index("ix_game_book_id")
        batch_op.drop_index("ix_game_finished")
        batch_op.create_index("ix_game_by_date", ["book_id", "played_on", "id"])
        batch_op.create_index("ix_game_running", ["book_id", "finished", "played_on", "id"])
        batch_op.create_index("ix_game_by_rules", ["book_id", "rules_name"])
        batch_op.create_index("ix_game_deleted", ["deleted"])
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.create_index("ix_seat_by_player", ["player_id", "game_id"])
        batch_op.drop_index("ix_seat_player_id")
    with op.batch_alter_table("hand", schema=None) as batch_op:
        batch_op.create_index("ix_hand_dealer_id", ["dealer_id"])
        batch_op.create_index("ix_hand_named_by_id", ["named_by_id"])
    with op.batch_alter_table("adjustment", schema=None) as batch_op:
        batch_op.create_index("ix_adjustment_seat_id", ["seat_id"])
    with op.batch_alter_table("change", schema=None) as batch_op:
        batch_op.create_index("ix_change_keeper_id", ["keeper_id"])


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("change", schema=None) as batch_op:
        batch_op.drop_index("ix_change_keeper_id")
    with op.batch_alter_table("adjustment", schema=None) as batch_op:
        batch_op.drop_index("ix_adjustment_seat_id")
    with op.batch_alter_table("hand", schema=None) as batch_op:
        batch_op.drop_index("ix_hand_named_by_id")
        batch_op.drop_index("ix_hand_dealer_id")
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.create_index("ix_seat_player_id", ["player_id"])
        batch_op.drop_index("ix_seat_by_player")
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_index("ix_game_deleted")
        batch_op.drop_index("ix_game_by_rules")
        batch_op.drop_index("ix_game_running")
        batch_op.drop_index("ix_game_by_date")
        batch_op.create_index("ix_game_finished", ["finished"])
        batch_op.create_index("ix_game_book_id", ["book_id"])
        batch_op.drop_column("rules_name")
