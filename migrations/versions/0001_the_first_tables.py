"""The first tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "book",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=26), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_book")),
        sa.UniqueConstraint("code", name=op.f("uq_book_code")),
    )
    op.create_table(
        "game",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("book_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=26), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("identity", sa.String(length=500), nullable=False),
        sa.Column("name", sa.String(length=500), nullable=False),
        sa.Column("note", sa.String(length=500), nullable=False),
        sa.Column("place", sa.String(length=500), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("played_on", sa.Date(), nullable=False),
        sa.Column("started", sa.DateTime(), nullable=False),
        sa.Column("touched", sa.DateTime(), nullable=False),
        sa.Column("finished", sa.DateTime(), nullable=True),
        sa.Column("ended_early", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("version >= 1", name=op.f("ck_game_version")),
        sa.ForeignKeyConstraint(["book_id"], ["book.id"], name=op.f("fk_game_book_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game")),
        sa.UniqueConstraint("action", name=op.f("uq_game_action")),
        sa.UniqueConstraint("book_id", "identity", name=op.f("uq_game_book_id_identity")),
        sa.UniqueConstraint("code", name=op.f("uq_game_code")),
    )
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_book_id"), ["book_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_game_finished"), ["finished"], unique=False)

    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("book_id", sa.Integer(), nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("expires", sa.DateTime(), nullable=False),
        sa.Column("used", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["book_id"], ["book.id"], name=op.f("fk_invitation_book_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_invitation_key_hash")),
    )
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_invitation_book_id"), ["book_id"], unique=False)

    op.create_table(
        "keeper",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("book_id", sa.Integer(), nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("seen", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["book_id"], ["book.id"], name=op.f("fk_keeper_book_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keeper")),
        sa.UniqueConstraint("book_id", "key_hash", name=op.f("uq_keeper_book_id_key_hash")),
    )
    with op.batch_alter_table("keeper", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_keeper_key_hash"), ["key_hash"], unique=False)

    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("book_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("key", sa.String(length=120), nullable=False),
        sa.ForeignKeyConstraint(["book_id"], ["book.id"], name=op.f("fk_player_book_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_player")),
        sa.UniqueConstraint("book_id", "key", name=op.f("uq_player_book_id_key")),
    )
    op.create_table(
        "change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("hand", sa.Integer(), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("keeper_id", sa.Integer(), nullable=True),
        sa.Column("steps", sa.JSON(), nullable=False),
        sa.Column("is_undone", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_change_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["keeper_id"], ["keeper.id"], name=op.f("fk_change_keeper_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change")),
        sa.UniqueConstraint("game_id", "action", name=op.f("uq_change_game_id_action")),
    )
    op.create_table(
        "seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_seat_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_seat_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seat")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_seat_game_id_number")),
        sa.UniqueConstraint("game_id", "player_id", name=op.f("uq_seat_game_id_player_id")),
    )
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_seat_player_id"), ["player_id"], unique=False)

    op.create_table(
        "adjustment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("hand", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=500), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"], ["game.id"], name=op.f("fk_adjustment_game_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_adjustment_seat_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_adjustment")),
    )
    with op.batch_alter_table("adjustment", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_adjustment_game_id"), ["game_id"], unique=False)

    op.create_table(
        "hand",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("voided", sa.Integer(), nullable=False),
        sa.Column("cards", sa.Integer(), nullable=False),
        sa.Column("dealer_id", sa.Integer(), nullable=False),
        sa.Column("trump", sa.String(length=8), nullable=True),
        sa.Column("is_over", sa.Boolean(), nullable=False),
        sa.Column("is_closed", sa.Boolean(), nullable=False),
        sa.Column("is_uneven", sa.Boolean(), nullable=False),
        sa.Column("note", sa.String(length=500), nullable=False),
        sa.CheckConstraint("cards >= 1", name=op.f("ck_hand_cards")),
        sa.CheckConstraint("number >= 1", name=op.f("ck_hand_number")),
        sa.ForeignKeyConstraint(["dealer_id"], ["seat.id"], name=op.f("fk_hand_dealer_id")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_hand_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hand")),
        sa.UniqueConstraint("game_id", "number", "voided", name=op.f("uq_hand_game_id_number_voided")),
    )
    op.create_table(
        "entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("hand_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("bid", sa.Integer(), nullable=True),
        sa.Column("tally", sa.Integer(), nullable=True),
        sa.Column("took", sa.Integer(), nullable=True),
        sa.Column("is_blind", sa.Boolean(), nullable=False),
        sa.Column("is_absent", sa.Boolean(), nullable=False),
        sa.CheckConstraint("bid >= 0", name=op.f("ck_entry_bid")),
        sa.CheckConstraint("tally >= 0", name=op.f("ck_entry_tally")),
        sa.CheckConstraint("took >= 0", name=op.f("ck_entry_took")),
        sa.ForeignKeyConstraint(["hand_id"], ["hand.id"], name=op.f("fk_entry_hand_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_entry_seat_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entry")),
        sa.UniqueConstraint("hand_id", "seat_id", name=op.f("uq_entry_hand_id_seat_id")),
    )
    with op.batch_alter_table("entry", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_entry_seat_id"), ["seat_id"], unique=False)


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("entry", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_entry_seat_id"))

    op.drop_table("entry")
    op.drop_table("hand")
    with op.batch_alter_table("adjustment", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_adjustment_game_id"))

    op.drop_table("adjustment")
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_seat_player_id"))

    op.drop_table("seat")
    op.drop_table("change")
    op.drop_table("player")
    with op.batch_alter_table("keeper", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_keeper_key_hash"))

    op.drop_table("keeper")
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_invitation_book_id"))

    op.drop_table("invitation")
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_game_finished"))
        batch_op.drop_index(batch_op.f("ix_game_book_id"))

    op.drop_table("game")
    op.drop_table("book")
