"""House rules and auctions"""

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

from migrations.steps import forget_columns

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "house_rules",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("book_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("key", sa.String(length=120), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["book_id"], ["book.id"], name=op.f("fk_house_rules_book_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_house_rules")),
        sa.UniqueConstraint("book_id", "key", "version", name=op.f("uq_house_rules_book_id_key_version")),
    )
    with op.batch_alter_table("hand", schema=None) as batch_op:
        batch_op.add_column(sa.Column("named_by_id", sa.Integer(), nullable=True))
        batch_op.create_foreign_key(batch_op.f("fk_hand_named_by_id"), "seat", ["named_by_id"], ["id"])


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("hand", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("fk_hand_named_by_id"), type_="foreignkey")
        batch_op.drop_column("named_by_id")
    forget_columns({"hand": ["named_by_id"]})

    op.drop_table("house_rules")


def lost(connection: sa.Connection) -> Iterator[str]:
    """What going back loses, a line each; nothing where no row holds it."""
    if count := connection.scalar(sa.text("SELECT count(*) FROM house_rules")):
        yield f"house rules, versions of them: {count}; games keep the rules that they are played by"
    if count := connection.scalar(sa.text("SELECT count(*) FROM hand WHERE named_by_id IS NOT NULL")):
        yield f"hands in which it is known who named trump: {count}"
