"""Writes of a credential are counted for all workers together."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of writes."""
    op.create_table(
        "writes",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("credential", sa.String(100), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("creates", sa.Boolean, nullable=False),
    )
    op.create_index("writes_credential", "writes", ["credential", "at"])
