"""Model calls are kept until a run's ref holds them."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of calls."""
    op.create_table(
        "calls",
        sa.Column("run", sa.String(300), primary_key=True),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
