"""The log when an older release comes back, which can take back steps on the tables and columns it knows alone."""

import sqlalchemy as sa
from alembic import op

CHANGE = sa.table("change", *map(sa.column, ("id", "game_id")), sa.column("steps", sa.JSON))


def forget_columns(columns: dict[str, list[str]]) -> None:
    """Take columns, by table, out of what the log remembers of each step."""
    touched = sa.or_(
        *(
            sa.cast(CHANGE.c.steps, sa.Text).contains(f'"{name}"')
            for names in columns.values()
            for name in names
        )
    )
    found = op.get_bind().execute(sa.select(CHANGE.c.id, CHANGE.c.steps).where(touched)).all()
    for number, steps in found:
        kept = []
        for table, row, *facts in steps:
            gone = columns.get(table, ())
            kept.append(
                [table, row, *(each and {k: v for k, v in each.items() if k not in gone} for each in facts)]
            )
        op.execute(CHANGE.update().where(CHANGE.c.id == number).values(steps=kept))


def last_with(connection: sa.Connection, *tables: str) -> dict[int, int]:
    """The number of the last change in each game that touched one of these tables, by the number of the game."""
    steps = sa.cast(CHANGE.c.steps, sa.Text)
    touched = sa.or_(*(steps.contains(f'["{table}", ') for table in tables))
    found = sa.select(CHANGE.c.game_id, sa.func.max(CHANGE.c.id)).where(touched).group_by(CHANGE.c.game_id)
    return {game: last for game, last in connection.execute(found)}  # noqa: C416 - rows are no pairs


def largest_remembered(connection: sa.Connection) -> dict[str, int]:
    """The largest row number that any step in the log remembers, by table."""
    if connection.dialect.name == "sqlite":
        name, number, each = "json_extract(value, '$[0]')", "json_extract(value, '$[1]')", "json_each(steps)"
    else:
        name, number, each = "value->>0", "(value->>1)::integer", "json_array_elements(steps) AS value"
    found = sa.text(f"SELECT {name}, max({number}) FROM change, {each} GROUP BY 1")  # noqa: S608 - no value
    return {table: last for table, last in connection.execute(found)}  # noqa: C416 - rows are no pairs
