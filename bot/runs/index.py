"""The index of runs: which pull request is whose, what has ended; rebuildable from the refs."""

from datetime import UTC, datetime, timedelta
from typing import Protocol

from sqlalchemy import ColumnElement, Engine, delete, insert, select, update

from bot.base import Data
from bot.phases.run import RunState
from bot.ports.forge import Bar
from bot.runs.start import is_over
from bot.runs.tables import RUNS, SWEEPS

_FIRST_LOOK_BACK = timedelta(days=1)


class RunLine(Data):
    """One run as the index shows it; `ref_commit` is the ref's commit when it was last swept, and
    `waits_for` what it waits for, or why it can do nothing for now."""

    repository: str
    issue: int
    run_id: str
    title: str
    pull_request: int
    phase: str
    outcome: str
    waits_for: str
    ref_commit: str
    updated_at: datetime


class RunIndex(Protocol):
    def keep(
        self, repository: str, state: RunState, at: datetime, ref_commit: str = ""
    ) -> None: ...

    def issue_of(self, repository: str, pull_request: int) -> int | None: ...

    def has_ended(self, repository: str, issue: int, ref_commit: str) -> bool:
        """Whether the run had ended when its ref was at this commit."""
        ...

    def heard_until(self, repository: str, now: datetime) -> datetime:
        """Up to when the last sweep has heard a repository's comments."""
        ...

    def heard(self, repository: str, until: datetime) -> None: ...

    def rest(self, repository: str, bar: Bar, at: datetime, issue: int | None = None) -> None:
        """Note why runs that have not ended can do nothing for now: all in a repository, or one
        issue's."""
        ...

    def going(self, repository: str) -> tuple[int, ...]:
        """The issues whose runs have not ended."""
        ...

    def rename(self, former: str, repository: str) -> None: ...

    def lines(self) -> tuple[RunLine, ...]:
        """All runs, newest first."""
        ...


class SqlRunIndex:
    """The index in the server's database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def keep(self, repository: str, state: RunState, at: datetime, ref_commit: str = "") -> None:
        repository = repository.lower()
        mine = (RUNS.c.repository == repository) & (RUNS.c.issue == state.issue)
        with self._engine.begin() as connection:
            connection.execute(delete(RUNS).where(mine))
            connection.execute(
                insert(RUNS).values(
                    repository=repository,
                    issue=state.issue,
                    run_id=state.run_id,
                    title=state.title,
                    pull_request=state.pull_request,
                    phase=state.phase.value,
                    outcome=state.outcome.value if state.outcome else "",
                    waits_for=state.wait.kind,
                    ref_commit=ref_commit if is_over(state) else "",
                    updated_at=at.timestamp(),
                )
            )

    def issue_of(self, repository: str, pull_request: int) -> int | None:
        c = RUNS.c
        found = select(c.issue).where(
            (c.repository == repository.lower()) & (c.pull_request == pull_request)
        )
        with self._engine.connect() as connection:
            return connection.execute(found).scalars().first()

    def has_ended(self, repository: str, issue: int, ref_commit: str) -> bool:
        c = RUNS.c
        found = select(c.ref_commit).where(
            (c.repository == repository.lower()) & (c.issue == issue)
        )
        with self._engine.connect() as connection:
            return connection.execute(found).scalar_one_or_none() == ref_commit

    def heard_until(self, repository: str, now: datetime) -> datetime:
        found = select(SWEEPS.c.heard_until).where(SWEEPS.c.repository == repository.lower())
        with self._engine.connect() as connection:
            seconds = connection.execute(found).scalar_one_or_none()
        return now - _FIRST_LOOK_BACK if seconds is None else datetime.fromtimestamp(seconds, UTC)

    def heard(self, repository: str, until: datetime) -> None:
        name = repository.lower()
        with self._engine.begin() as connection:
            connection.execute(delete(SWEEPS).where(SWEEPS.c.repository == name))
            connection.execute(
                insert(SWEEPS).values(repository=name, heard_until=until.timestamp())
            )

    def rest(self, repository: str, bar: Bar, at: datetime, issue: int | None = None) -> None:
        these = _going(repository)
        if issue is not None:
            these &= RUNS.c.issue == issue
        change = update(RUNS).where(these).values(waits_for=bar, updated_at=at.timestamp())
        with self._engine.begin() as connection:
            connection.execute(change)

    def going(self, repository: str) -> tuple[int, ...]:
        with self._engine.connect() as connection:
            found = select(RUNS.c.issue).where(_going(repository))
            return tuple(connection.execute(found).scalars())

    def rename(self, former: str, repository: str) -> None:
        before, after = former.lower(), repository.lower()
        if before == after:
            return
        with self._engine.begin() as connection:
            for table in (RUNS, SWEEPS):
                c = table.c
                if connection.execute(select(table).where(c.repository == before)).first():
                    connection.execute(delete(table).where(c.repository == after))
                    change = update(table).where(c.repository == before)
                    connection.execute(change.values(repository=after))

    def lines(self) -> tuple[RunLine, ...]:
        with self._engine.connect() as connection:
            rows = connection.execute(select(RUNS).order_by(RUNS.c.updated_at.desc())).mappings()
            return tuple(RunLine.model_validate(dict(row)) for row in rows)


def _going(repository: str) -> ColumnElement[bool]:
    return (RUNS.c.repository == repository.lower()) & (RUNS.c.outcome == "")
