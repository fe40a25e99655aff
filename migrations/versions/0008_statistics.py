"""Statistics: what a finished game adds to them, on its seats, hands and entries; `flask recount` fills it in"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from migrations.steps import forget_columns

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

RESULTS: dict[str, dict[str, sa.types.TypeEngine[Any]]] = {
    "game": {
        "scored_as": sa.String(16),
    },
    "seat": {
        "bids": sa.Integer(),
        "made": sa.Integer(),
        "run_start": sa.Integer(),
        "run_best": sa.Integer(),
        "run_end": sa.Integer(),
        "behind": sa.Integer(),
    },
    "hand": {
        "over": sa.Integer(),
        "bidders": sa.Integer(),
        "made": sa.Integer(),
        "zeros": sa.Integer(),
        "zeros_made": sa.Integer(),
        "hook_made": sa.Boolean(),
    },
    "entry": {
        "turn": sa.Integer(),
        "is_hooked": sa.Boolean(),
    },
}


def upgrade() -> None:
    """Go forward. Adding a column that may be empty copies no table, neither on SQLite nor on PostgreSQL."""
    for table, columns in RESULTS.items():
        for name, kind in columns.items():
            op.add_column(table, sa.Column(name, kind, nullable=True))


def downgrade() -> None:
    """Go back."""
    for table, columns in RESULTS.items():
        with op.batch_alter_table(table, schema=None) as batch_op:
            for name in columns:
                batch_op.drop_column(name)
    forget_columns({table: list(columns) for table, columns in RESULTS.items()})
