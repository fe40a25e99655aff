"""Shared books"""

from collections.abc import Iterator

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


def lost(connection: sa.Connection) -> Iterator[str]:
    """What going back loses, a line each; nothing where no row holds it."""
    if count := connection.scalar(sa.text("SELECT count(*) FROM book WHERE is_shared")):
        yield f"shared books: {count}; their keepers alone can open them"
