"""Games of which only the totals are known"""

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

GAME = sa.table(
    "game",
    sa.column("id"),
    sa.column("finished"),
    sa.column("ended_early", sa.Boolean),
    sa.column("given", sa.JSON(none_as_null=True)),
)
SEAT = sa.table("seat", *map(sa.column, ("game_id", "number", "total")))
HAND = sa.table("hand", sa.column("game_id"))


def without_hands(connection: sa.Connection) -> dict[int, list[int]]:
    """The final totals by seat of the games that are over without a hand, by the number of the game."""
    played = sa.exists().where(HAND.c.game_id == GAME.c.id)
    found = (
        sa.select(GAME.c.id, SEAT.c.total)
        .join(SEAT, SEAT.c.game_id == GAME.c.id)
        .where(GAME.c.finished.is_not(None), ~GAME.c.ended_early, ~played, SEAT.c.total.is_not(None))
        .order_by(GAME.c.id, SEAT.c.number)
    )
    totals: dict[int, list[int]] = {}
    for game, total in connection.execute(found):
        totals.setdefault(game, []).append(total)
    return totals


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.add_column(sa.Column("given", sa.JSON(), nullable=True))
    # Games that had come back from here to the release before: over, not broken off, and nobody has played.
    for game, totals in without_hands(op.get_bind()).items():
        op.execute(GAME.update().where(GAME.c.id == game).values(given=totals))


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_column("given")


def lost(connection: sa.Connection) -> Iterator[str]:
    """What going back loses, a line each; nothing where no row holds it."""
    if count := len(without_hands(connection)):
        yield f"games of which only the totals are known: {count}; they look unplayed until they come up again"
