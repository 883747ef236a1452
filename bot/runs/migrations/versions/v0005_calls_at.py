"""Model calls that no run fetches again are dropped after a time."""

import time

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Note when a call was kept; those that are there count as kept now."""
    op.add_column("calls", sa.Column("at", sa.Float, nullable=False, server_default="0"))
    op.execute(sa.update(sa.table("calls", sa.column("at"))).values(at=time.time()))
    op.create_index("calls_at", "calls", ["at"])
