"""Names in previews of a game's link"""

from collections.abc import Iterator

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


def lost(connection: sa.Connection) -> Iterator[str]:
    """What going back loses, a line each; nothing where no row holds it."""
    if count := connection.scalar(sa.text("SELECT count(*) FROM game WHERE names_in_previews")):
        yield f"games whose previews may name the players: {count}; they name nobody"
