"""Games of which only the totals are known"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.add_column(sa.Column("given", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_column("given")
