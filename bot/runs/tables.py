"""The tables of the server's database: deliveries, what is to do, workflows, workers, the index of
runs. Everything in them can be built anew from GitHub, but for deliveries that were not worked yet.
Changed only together with a migration (bot/runs/migrations)."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

METADATA = MetaData()

# Times are seconds since 1970 in UTC; repositories are OWNER/NAME in lower case.

DELIVERIES = Table(
    "deliveries",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String(100), nullable=False, unique=True),
    Column("event", String(100), nullable=False),
    Column("content_type", String(100), nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("received_at", Float, nullable=False),
    Column("state", String(10), nullable=False),
    Column("note", Text, nullable=False, default=""),
)
Index("deliveries_state", DELIVERIES.c.state, DELIVERIES.c.number)

# `issue` is 0 for what concerns a repository, or a pull request whose issue is not known yet.
# `rung` says whether the workflow of the issue was told.
TASKS = Table(
    "tasks",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("repository", String(200), nullable=False),
    Column("issue", Integer, nullable=False),
    Column("installation", Integer, nullable=False),
    Column("event", Text, nullable=False),
    Column("rung", Boolean, nullable=False, default=False),
)
Index("tasks_issue", TASKS.c.repository, TASKS.c.issue)
Index("tasks_rung", TASKS.c.rung)

# The durable workflow of an issue: the newest of its `generation`s, whether it goes on (`open`),
# and the version of the workflow's code that it was started with.
WORKFLOWS = Table(
    "workflows",
    METADATA,
    Column("repository", String(200), primary_key=True),
    Column("issue", Integer, primary_key=True, autoincrement=False),
    Column("installation", Integer, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("open", Boolean, nullable=False),
    Column("version", String(40), nullable=False),
    Column("moved_at", Float, nullable=False),
)
Index("workflows_open", WORKFLOWS.c.open)

# `session` is that of a data folder, which one process has at a time.
WORKERS = Table(
    "workers",
    METADATA,
    Column("id", String(100), primary_key=True),
    Column("session", String(40), nullable=False),
    Column("beat", Float, nullable=False),
)

RUNS = Table(
    "runs",
    METADATA,
    Column("repository", String(200), primary_key=True),
    Column("issue", Integer, primary_key=True, autoincrement=False),
    Column("run_id", String(100), nullable=False),
    Column("title", Text, nullable=False),
    Column("pull_request", Integer, nullable=False),
    Column("phase", String(20), nullable=False),
    Column("outcome", String(40), nullable=False),
    Column("waits_for", String(20), nullable=False),
    Column("ref_commit", String(64), nullable=False),
    Column("updated_at", Float, nullable=False),
)
Index("runs_pull_request", RUNS.c.repository, RUNS.c.pull_request)

# Runs that started within the last day, and issues that were told that none may (`admitted` false).
# `said` is when the start was asked for.
STARTS = Table(
    "starts",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("repository", String(200), nullable=False),
    Column("issue", Integer, nullable=False),
    Column("person", String(100), nullable=False),
    Column("said", Float, nullable=False),
    Column("at", Float, nullable=False),
    Column("admitted", Boolean, nullable=False),
)
Index("starts_repository", STARTS.c.repository, STARTS.c.admitted)
Index("starts_person", STARTS.c.person, STARTS.c.admitted)

SWEEPS = Table(
    "sweeps",
    METADATA,
    Column("repository", String(200), primary_key=True),
    Column("heard_until", Float, nullable=False),
)

# Model calls that no run's ref holds yet, and when they were kept; `run` is OWNER/NAME:RUN_ID.
CALLS = Table(
    "calls",
    METADATA,
    Column("run", String(300), primary_key=True),
    Column("name", String(200), primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("at", Float, nullable=False, server_default="0"),
)
Index("calls_at", CALLS.c.at)

# Writes to the forge within the last hour, `at` the time that they go out, by the database's clock.
WRITES = Table(
    "writes",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("credential", String(100), nullable=False),
    Column("at", Float, nullable=False),
    Column("creates", Boolean, nullable=False),
)
Index("writes_credential", WRITES.c.credential, WRITES.c.at)
