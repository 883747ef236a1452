"""Check runs, commit statuses and workflow runs."""

from typing import Any

from bot.forge.embedded.graphql.nodes.base import Located, Node
from bot.forge.embedded.graphql.paging import Connection
from bot.forge.embedded.shapes.base import parse_node_id
from bot.forge.embedded.store import rows
from bot.forge.embedded.store.merging import required_checks
from bot.forge.embedded.store.rows import Json


class CheckSuite(Node[rows.CheckSuite]):
    def app(self) -> Any:
        return self._context.node(self._store.apps.get(self._row.app_id))

    def status(self) -> str:
        return self._row.status.upper()

    def conclusion(self) -> str | None:
        return self._row.conclusion and self._row.conclusion.upper()

    def created_at(self) -> Any:
        return self._row.created_at

    def updated_at(self) -> Any:
        return self._row.updated_at

    def workflow_run(self) -> Any:
        return self._context.node(self._store.tables.workflow_runs.one(suite_id=self._row.id))

    def check_runs(self, **page: Any) -> Connection:
        return self._context.connection(self._store.checks.suite_runs(self._row), page)


class CheckRun(Located[rows.CheckRun]):
    def location(self) -> str:
        repository = self._store.repositories.get(self._row.repository_id)
        job = self._store.tables.workflow_jobs.one(id=self._row.id)
        if job is None:
            return f"{repository.full_name}/runs/{self._row.id}"
        return f"{repository.full_name}/actions/runs/{job.run_id}/job/{job.id}"

    def permalink(self) -> str:
        return self.url()

    def details_url(self) -> str:
        return self._row.details_url or self.url()

    def name(self) -> str:
        return self._row.name

    def external_id(self) -> str:
        return self._row.external_id

    def status(self) -> str:
        return self._row.status.upper()

    def conclusion(self) -> str | None:
        return self._row.conclusion and self._row.conclusion.upper()

    def started_at(self) -> Any:
        return self._row.started_at

    def completed_at(self) -> Any:
        return self._row.completed_at

    def title(self) -> str | None:
        return self._row.output.get("title")

    def summary(self) -> str | None:
        return self._row.output.get("summary")

    def text(self) -> str | None:
        return self._row.output.get("text")

    def repository(self) -> Any:
        return self._context.node(self._store.repositories.get(self._row.repository_id))

    def check_suite(self) -> Any:
        return self._context.node(self._store.checks.suite(self._row.suite_id))

    def annotations(self, **page: Any) -> Connection:
        return Connection(self._row.annotations, page, _annotation)

    def is_required(
        self, pull_request_id: str | None = None, pull_request_number: int | None = None
    ) -> bool:
        return is_required(self, self._row, self._row.name, pull_request_id, pull_request_number)


class StatusContext(Node[rows.Status]):
    def context(self) -> str:
        return self._row.context

    def state(self) -> str:
        return self._row.state.upper()

    def description(self) -> str | None:
        return self._row.description

    def target_url(self) -> str | None:
        return self._row.target_url

    def created_at(self) -> Any:
        return self._row.created_at

    def creator(self) -> Any:
        return self._context.account(self._row.creator_id)

    def is_required(
        self, pull_request_id: str | None = None, pull_request_number: int | None = None
    ) -> bool:
        return is_required(self, self._row, self._row.context, pull_request_id, pull_request_number)


class App(Node[rows.App]):
    def name(self) -> str:
        return self._row.name

    def slug(self) -> str:
        return self._row.slug


class Workflow(Located[rows.Workflow]):
    def location(self) -> str:
        repository = self._store.repositories.get(self._row.repository_id)
        return f"{repository.full_name}/actions/workflows/{self._row.path.rpartition('/')[2]}"

    def name(self) -> str:
        return self._row.name


class WorkflowRun(Located[rows.WorkflowRun]):
    def location(self) -> str:
        repository = self._store.repositories.get(self._row.repository_id)
        return f"{repository.full_name}/actions/runs/{self._row.id}"

    def event(self) -> str:
        return self._row.event

    def run_number(self) -> int:
        return self._row.number

    def created_at(self) -> Any:
        return self._row.created_at

    def updated_at(self) -> Any:
        return self._row.updated_at

    def workflow(self) -> Any:
        return self._context.node(self._store.tables.workflows.get(self._row.workflow_id))

    def check_suite(self) -> Any:
        return self._context.node(self._store.checks.suite(self._row.suite_id))


def is_required(
    node: Node[Any],
    row: rows.CheckRun | rows.Status,
    name: str,
    pull_request_id: str | None,
    pull_request_number: int | None,
) -> bool:
    """Whether the base branch of the pull request asks for a check of this name."""
    store = node._store
    repository = store.repositories.get(row.repository_id)
    if pull_request_number is not None:
        pull = store.pulls.find(repository, pull_request_number)
    else:
        _, identity = parse_node_id(pull_request_id or "") or ("", 0)
        pull = store.tables.pulls.one(id=identity, repository_id=repository.id)
    if pull is None:
        return False
    protection = store.repositories.protection(repository, pull.base_ref)
    return protection is not None and name in required_checks(protection.settings)


def _annotation(given: Json) -> Json:
    return {
        "annotationLevel": str(given.get("annotation_level", "notice")).upper(),
        "location": {
            "start": {"line": given.get("start_line", 1), "column": given.get("start_column")},
            "end": {"line": given.get("end_line", 1), "column": given.get("end_column")},
        },
        "message": given.get("message", ""),
        "path": given.get("path", ""),
        "rawDetails": given.get("raw_details"),
        "title": given.get("title"),
    }
