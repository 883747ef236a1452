"""What a job remembers while it works: an inbox and an index of its own, gone with the job."""

from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import URL

from bot.databases import engine_of
from bot.runs.inbox import SqlInbox
from bot.runs.index import SqlRunIndex
from bot.runs.tables import METADATA


def job_memory(folder: Path, held: ExitStack) -> tuple[SqlInbox, SqlRunIndex]:
    """Both empty, in a new file below `folder`; closed when `held` ends."""
    file = folder / "job.sqlite3"
    file.unlink(missing_ok=True)
    engine = engine_of(URL.create("sqlite", database=str(file)))
    held.callback(engine.dispose)
    METADATA.create_all(engine)
    return SqlInbox(engine), SqlRunIndex(engine)
