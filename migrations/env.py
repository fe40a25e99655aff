"""Where Alembic meets the app: the tables of models.py on the database of the settings."""

from alembic import context

from models import Base, db

with db.engine.connect() as connection:
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
