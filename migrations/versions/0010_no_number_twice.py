"""No row number is given twice where the log or an open form remembers it"""

import sqlalchemy as sa
from alembic import op

from migrations.steps import largest_remembered

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

TABLES = ("keeper", "house_rules", "seat", "hand", "entry", "adjustment")


def upgrade() -> None:
    """Go forward. PostgreSQL gives no number twice, but may have been filled by a release that let it start too low."""
    connection = op.get_bind()
    remembered = largest_remembered(connection)
    if connection.dialect.name == "sqlite":
        for table in TABLES:
            with op.batch_alter_table(table, recreate="always", table_kwargs={"sqlite_autoincrement": True}):
                pass
            _number_on_sqlite(connection, table, remembered.get(table, 0))
    else:
        for table in TABLES:
            _number_on_postgresql(connection, table, remembered.get(table, 0))


def _number_on_sqlite(connection: sa.Connection, table: str, remembered: int) -> None:
    last = connection.scalar(sa.text(f"SELECT max(id) FROM {table}")) or 0  # noqa: S608 - no value
    values = {"table": table, "last": max(remembered, last)}
    connection.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :table"), values)
    connection.execute(sa.text("INSERT INTO sqlite_sequence VALUES (:table, :last)"), values)


def _number_on_postgresql(connection: sa.Connection, table: str, remembered: int) -> None:
    counter = connection.scalar(sa.select(sa.func.pg_get_serial_sequence(table, "id")))
    connection.execute(
        sa.text(f"SELECT setval(:counter, :last) FROM {counter} WHERE last_value <= :last"),  # noqa: S608 - no value
        {"counter": counter, "last": remembered},
    )


def downgrade() -> None:
    """Go back."""
    if op.get_bind().dialect.name == "sqlite":
        for table in TABLES:
            with op.batch_alter_table(table, recreate="always") as batch_op:
                # A key that numbers for good has no name on SQLite; what goes back has one.
                batch_op.create_primary_key(batch_op.f(f"pk_{table}"), ["id"])
