"""Recovery links, spoken codes, and codes to watch by"""

import secrets
from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def upgrade() -> None:
    """Go forward; games that are being played get a code to watch by."""
    with op.batch_alter_table("book", schema=None) as batch_op:
        batch_op.add_column(sa.Column("recovery_hash", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("recovery_made", sa.DateTime(), nullable=True))
        batch_op.create_unique_constraint(batch_op.f("uq_book_recovery_hash"), ["recovery_hash"])
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.add_column(sa.Column("code_hash", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("code_expires", sa.DateTime(), nullable=True))
        batch_op.create_unique_constraint(batch_op.f("uq_invitation_code_hash"), ["code_hash"])
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.add_column(sa.Column("watch_code", sa.String(length=6), nullable=True))
        batch_op.create_unique_constraint(batch_op.f("uq_game_watch_code"), ["watch_code"])
    game = sa.table("game", sa.column("id"), sa.column("finished"), sa.column("watch_code"))
    codes: set[str] = set()
    for (number,) in op.get_bind().execute(sa.select(game.c.id).where(game.c.finished.is_(None))).all():
        code = ""
        while not code or code in codes:
            code = "".join(secrets.choice(ALPHABET) for _ in range(6))
        codes.add(code)
        op.execute(game.update().where(game.c.id == number).values(watch_code=code))


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_game_watch_code"), type_="unique")
        batch_op.drop_column("watch_code")
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_invitation_code_hash"), type_="unique")
        batch_op.drop_column("code_expires")
        batch_op.drop_column("code_hash")
    with op.batch_alter_table("book", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_book_recovery_hash"), type_="unique")
        batch_op.drop_column("recovery_made")
        batch_op.drop_column("recovery_hash")


def lost(connection: sa.Connection) -> Iterator[str]:
    """What going back loses, a line each; nothing where no row holds it."""
    if count := connection.scalar(sa.text("SELECT count(*) FROM book WHERE recovery_hash IS NOT NULL")):
        yield f"recovery links: {count}; they lead nowhere, also after coming up again"
    if count := connection.scalar(
        sa.text("SELECT count(*) FROM game WHERE watch_code IS NOT NULL AND finished IS NULL")
    ):
        yield f"codes to watch running games by: {count}; the games get new ones when they come up again"
