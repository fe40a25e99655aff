"""Where Alembic meets the app: the tables of models.py on the database of the settings, in one transaction.

Whatever stops it (a power cut, a full disk, a step that fails) leaves the database as it was, on SQLite too, which
changes tables in transactions as it changes rows.
"""

from alembic import context

import models  # noqa: F401 - all tables
from database import Base, db, writing

with writing(), db.engine.connect() as connection:
    is_sqlite = connection.dialect.name == "sqlite"
    if is_sqlite:
        # SQLite alters a table by copying it and dropping the old one, which would take along, by their foreign
        # keys, the rows that belong to it. Only outside of a transaction can the keys be switched off.
        connection.connection.execute("PRAGMA foreign_keys = OFF")
    else:
        # Nobody's tap waits here: a large table may take its time.
        vars(connection.connection.driver_connection)["silence"] = None
    try:
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            render_as_batch=True,
            transactional_ddl=True,
        )
        with context.begin_transaction():
            if not is_sqlite:
                connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
                connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
                # Who brings the same database up to date elsewhere waits here; on SQLite, for the writer's place.
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(20260131)")
            context.run_migrations()
            if is_sqlite and (broken := connection.exec_driver_sql("PRAGMA foreign_key_check").all()):
                raise SystemExit(
                    f"The database was left as it was: rows would lose what they belong to: {broken[:5]}"
                )
    finally:
        # It is not any more as a request wants one.
        connection.invalidate()
