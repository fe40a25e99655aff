"""Deleted games redone steps and merged names"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("change", schema=None) as batch_op:
        batch_op.add_column(sa.Column("is_past", sa.Boolean(), nullable=False, server_default=sa.false()))

    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.add_column(sa.Column("deleted", sa.DateTime(), nullable=True))

    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.add_column(sa.Column("alias_of_id", sa.Integer(), nullable=True))
        batch_op.create_index(batch_op.f("ix_player_alias_of_id"), ["alias_of_id"], unique=False)
        batch_op.create_foreign_key(batch_op.f("fk_player_alias_of_id"), "player", ["alias_of_id"], ["id"])


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("fk_player_alias_of_id"), type_="foreignkey")
        batch_op.drop_index(batch_op.f("ix_player_alias_of_id"))
        batch_op.drop_column("alias_of_id")

    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_column("deleted")

    with op.batch_alter_table("change", schema=None) as batch_op:
        batch_op.drop_column("is_past")
