"""Starts of runs are counted, so that no day has more than the ceilings allow."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "starts",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("repository", sa.String(200), nullable=False),
        sa.Column("issue", sa.Integer, nullable=False),
        sa.Column("person", sa.String(100), nullable=False),
        sa.Column("said", sa.Float, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("admitted", sa.Boolean, nullable=False),
    )
    op.create_index("starts_repository", "starts", ["repository", "admitted"])
    op.create_index("starts_person", "starts", ["person", "admitted"])
