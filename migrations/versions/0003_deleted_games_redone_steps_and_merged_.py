"""Deleted games redone steps and merged names"""

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

from migrations.steps import CHANGE, last_with

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("change", schema=None) as batch_op:
        batch_op.add_column(sa.Column("is_past", sa.Boolean(), nullable=False, server_default=sa.false()))
    # What was taken back before something else was done can no longer be done again.
    change = sa.table(
        "change",
        *map(sa.column, ("id", "game_id", "kind")),
        sa.column("is_undone", sa.Boolean),
        sa.column("is_past"),
    )
    later = change.alias("later")
    stands = sa.exists().where(
        later.c.game_id == change.c.game_id,
        later.c.id > change.c.id,
        later.c.kind != "undo",
        ~later.c.is_undone,
    )
    op.execute(change.update().where(change.c.is_undone, stands).values(is_past=sa.true()))

    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.add_column(sa.Column("deleted", sa.DateTime(), nullable=True))

    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.add_column(sa.Column("alias_of_id", sa.Integer(), nullable=True))
        batch_op.create_index(batch_op.f("ix_player_alias_of_id"), ["alias_of_id"], unique=False)
        batch_op.create_foreign_key(batch_op.f("fk_player_alias_of_id"), "player", ["alias_of_id"], ["id"])


def downgrade() -> None:
    """Go back. The release before knows no steps that change the table, and must not take back what lies below them."""
    for game, last in last_with(op.get_bind(), "game", "seat").items():
        op.execute(CHANGE.delete().where(CHANGE.c.game_id == game, CHANGE.c.id <= last))
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("fk_player_alias_of_id"), type_="foreignkey")
        batch_op.drop_index(batch_op.f("ix_player_alias_of_id"))
        batch_op.drop_column("alias_of_id")

    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_column("deleted")

    with op.batch_alter_table("change", schema=None) as batch_op:
        batch_op.drop_column("is_past")


def lost(connection: sa.Connection) -> Iterator[str]:
    """What going back loses, a line each; nothing where no row holds it."""
    if count := connection.scalar(sa.text("SELECT count(*) FROM game WHERE deleted IS NOT NULL")):
        yield f"deleted games: {count}; they are in their books again"
    if count := connection.scalar(sa.text("SELECT count(*) FROM player WHERE alias_of_id IS NOT NULL")):
        yield f"merged names: {count}; each is a person of its own again"
    if games := last_with(connection, "game", "seat"):
        yield f"games whose table was changed: {len(games)}; their log up to there is gone and cannot be taken back"
