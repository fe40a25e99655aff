"""Shared books"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("book", schema=None) as batch_op:
        batch_op.add_column(sa.Column("is_shared", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("book", schema=None) as batch_op:
        batch_op.drop_column("is_shared")
