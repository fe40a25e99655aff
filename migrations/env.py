"""Where Alembic meets the app: the tables of models.py on the database of the settings, in one transaction."""

from alembic import context

import models  # noqa: F401 - all tables
from database import Base, db

with db.engine.connect() as connection:
    is_sqlite = connection.dialect.name == "sqlite"
    if is_sqlite:
        # SQLite alters a table by copying it and dropping the old one, which would take along, by their foreign
        # keys, the rows that belong to it. Only outside of a transaction can the keys be switched off.
        connection.connection.execute("PRAGMA foreign_keys = OFF")
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
    if is_sqlite and (broken := connection.exec_driver_sql("PRAGMA foreign_key_check").all()):
        raise SystemExit(
            f"The database was left as it was: rows would lose what they belong to: {broken[:5]}"
        )
    connection.commit()
    if is_sqlite:
        connection.connection.execute("PRAGMA foreign_keys = ON")
