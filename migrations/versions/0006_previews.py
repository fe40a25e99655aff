"""Names in previews of a game's link"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("names_in_previews", sa.Boolean(), nullable=False, server_default=sa.false())
        )


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_column("names_in_previews")
