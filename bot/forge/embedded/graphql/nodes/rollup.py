"""What all checks and statuses of one commit come to."""

from collections import Counter
from typing import Any

from bot.forge.embedded.graphql.nodes.base import Context
from bot.forge.embedded.graphql.paging import Connection
from bot.forge.embedded.shapes.base import node_id
from bot.forge.embedded.store.merging import check_state, latest_checks
from bot.forge.embedded.store.rows import CheckRun, Json, Repository, Status


class Rollup:
    """The newest check run of each name in each suite, and the newest status of each context."""

    def __init__(self, context: Context, repository: Repository, sha: str) -> None:
        self._context = context
        self.runs = latest_checks(context.store, repository, sha)
        self.combined, self.statuses = context.store.checks.combined(repository, sha)
        self._key = f"{repository.id}:{sha}"

    def rollup(self, commit: Any) -> "StatusCheckRollup | None":
        state = check_state(self.runs, self.statuses)
        return StatusCheckRollup(self, commit, state.upper()) if state else None

    def status(self) -> Json | None:
        """The commit statuses alone."""
        if not self.statuses:
            return None
        return {
            "id": node_id("Status", self._key),
            "state": self.combined.upper(),
            "contexts": [self._context.node(status) for status in self.statuses],
        }

    def contexts(self, page: dict[str, Any]) -> "StatusCheckRollupContextConnection":
        return StatusCheckRollupContextConnection(self._context, self.runs, self.statuses, page)


class StatusCheckRollup:
    """https://docs.github.com/graphql/reference/objects#statuscheckrollup"""

    def __init__(self, rollup: Rollup, commit: Any, state: str) -> None:
        self._rollup = rollup
        self.commit = commit
        self.state = state

    def id(self) -> str:
        return node_id("StatusCheckRollup", self.commit.oid)

    def contexts(self, **page: Any) -> "StatusCheckRollupContextConnection":
        return self._rollup.contexts(page)


class StatusCheckRollupContextConnection(Connection):
    def __init__(
        self,
        context: Context,
        runs: list[CheckRun],
        statuses: list[Status],
        page: dict[str, Any],
    ) -> None:
        super().__init__([*runs, *statuses], page, context.node)
        self._runs = runs
        self._statuses = statuses

    def check_run_count(self) -> int:
        return len(self._runs)

    def status_context_count(self) -> int:
        return len(self._statuses)

    def check_run_counts_by_state(self) -> list[Json]:
        return _counts([(run.conclusion or run.status).upper() for run in self._runs])

    def status_context_counts_by_state(self) -> list[Json]:
        return _counts([status.state.upper() for status in self._statuses])


def _counts(states: list[str]) -> list[Json]:
    return [{"state": state, "count": count} for state, count in Counter(states).items()]
