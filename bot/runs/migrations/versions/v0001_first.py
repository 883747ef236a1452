"""The first schema: deliveries, one process's queue, the index of runs."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of version 0.1."""
    op.create_table(
        "deliveries",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(100), nullable=False, unique=True),
        sa.Column("event", sa.String(100), nullable=False),
        sa.Column("content_type", sa.String(100), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("received_at", sa.Float, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
    )
    op.create_index("deliveries_state", "deliveries", ["state", "number"])
    op.create_table(
        "tasks",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("repository", sa.String(200), nullable=False),
        sa.Column("installation", sa.Integer, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("due", sa.Float, nullable=False),
        sa.Column("taken", sa.Boolean, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("trouble", sa.Text, nullable=False),
    )
    op.create_index("tasks_repository", "tasks", ["repository", "taken"])
    op.create_index("tasks_due", "tasks", ["due"])
    op.create_table(
        "runs",
        sa.Column("repository", sa.String(200), primary_key=True),
        sa.Column("issue", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("run_id", sa.String(100), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("pull_request", sa.Integer, nullable=False),
        sa.Column("phase", sa.String(20), nullable=False),
        sa.Column("outcome", sa.String(40), nullable=False),
        sa.Column("waits_for", sa.String(20), nullable=False),
        sa.Column("ref_commit", sa.String(64), nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
    )
    op.create_index("runs_pull_request", "runs", ["repository", "pull_request"])
    op.create_table(
        "sweeps",
        sa.Column("repository", sa.String(200), primary_key=True),
        sa.Column("heard_until", sa.Float, nullable=False),
    )
