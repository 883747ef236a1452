"""Durable workflows take the place of the queue: tasks are told to the workflow of their issue."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What the queue held is kept; which issue a command on a pull request concerns is found
    anew."""
    held = op.get_bind().execute(
        sa.text("SELECT repository, installation, event FROM tasks ORDER BY number")
    )
    rows = [dict(row) for row in held.mappings()]
    op.drop_table("tasks")
    tasks = op.create_table(
        "tasks",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("repository", sa.String(200), nullable=False),
        sa.Column("issue", sa.Integer, nullable=False),
        sa.Column("installation", sa.Integer, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("rung", sa.Boolean, nullable=False),
    )
    op.create_index("tasks_issue", "tasks", ["repository", "issue"])
    op.create_index("tasks_rung", "tasks", ["rung"])
    if rows:
        op.bulk_insert(
            tasks, [row | {"issue": _issue(row["event"]), "rung": False} for row in rows]
        )
    op.create_table(
        "workflows",
        sa.Column("repository", sa.String(200), primary_key=True),
        sa.Column("issue", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("installation", sa.Integer, nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("open", sa.Boolean, nullable=False),
        sa.Column("version", sa.String(40), nullable=False),
        sa.Column("moved_at", sa.Float, nullable=False),
    )
    op.create_index("workflows_open", "workflows", ["open"])
    op.create_table(
        "workers",
        sa.Column("id", sa.String(100), primary_key=True),
        sa.Column("session", sa.String(40), nullable=False),
        sa.Column("beat", sa.Float, nullable=False),
    )


def _issue(event: str) -> int:
    told = json.loads(event)
    if told.get("on_pull"):
        return 0
    return int(told.get("issue") or told.get("number") or 0)
