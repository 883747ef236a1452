"""Check suites, check runs and commit statuses."""

from typing import Any

from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.errors import Refused, invalid
from bot.forge.embedded.store.rows import App, CheckRun, CheckSuite, Json, Repository, Status

TEXT_LIMIT = 65_535
ANNOTATION_LIMIT = 50
_DOCS = "https://docs.github.com/rest/checks/runs"
CONCLUSIONS = (
    "success",
    "failure",
    "neutral",
    "cancelled",
    "skipped",
    "timed_out",
    "action_required",
    "stale",
    "startup_failure",
)
_WORST = ("failure", "timed_out", "startup_failure", "action_required", "cancelled", "stale")


def combined_conclusion(conclusions: list[str | None]) -> str:
    """What a suite concludes from its runs: the worst of them, else success, neutral, skipped."""
    for worst in _WORST:
        if worst in conclusions:
            return "failure" if worst == "timed_out" and "failure" in conclusions else worst
    for mild in ("success", "neutral", "skipped"):
        if mild in conclusions:
            return mild
    return "neutral"


class Checks:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._tables = core.tables

    def create_suite(
        self, repository: Repository, app: App, sha: str, branch: str | None, by: Actor
    ) -> CheckSuite:
        now = self._core.now()
        with self._core.transaction():
            suite = self._tables.check_suites.insert(
                CheckSuite(
                    repository_id=repository.id,
                    app_id=app.id,
                    head_sha=sha,
                    head_branch=branch,
                    created_at=now,
                    updated_at=now,
                )
            )
            self._core.publish("check_suite", "requested", by, repository, check_suite=suite)
        return suite

    def create_run(
        self,
        repository: Repository,
        by: Actor,
        *,
        name: str,
        sha: str,
        suite: CheckSuite | None = None,
        **fields: Any,
    ) -> CheckRun:
        """A check run of the actor's App, in its suite for the commit; `fields` are columns."""
        app = by.app
        if app is None:
            # https://docs.github.com/rest/checks/runs#create-a-check-run
            message = "You must authenticate via a GitHub App."
            raise Refused(403, message, docs=f"{_DOCS}#create-a-check-run")
        if self._core.git(repository).kind(sha) != "commit":
            raise Refused(
                422, f"No commit found for SHA: {sha}", docs=f"{_DOCS}#create-a-check-run"
            )
        self._validate(fields)
        with self._core.transaction():
            suite = suite or self._suite(repository, app, sha, by)
            run = self._tables.check_runs.insert(
                CheckRun.model_validate(
                    {
                        "repository_id": repository.id,
                        "suite_id": suite.id,
                        "app_id": app.id,
                        "name": name,
                        "head_sha": sha,
                        "started_at": self._core.now(),
                        **self._completed(fields),
                    }
                )
            )
            self._core.publish("check_run", "created", by, repository, check_run=run)
            self._settle(repository, run, by)
        return run

    def update_run(
        self, repository: Repository, run: CheckRun, by: Actor, **changes: Any
    ) -> CheckRun:
        """Annotations are added to what is there."""
        if by.app is None or by.app.id != run.app_id:
            raise Refused(
                403,
                "Invalid app_id `"
                + str(by.app.id if by.app else "")
                + "` - check run can only be modified by the GitHub App that created it.",
            )
        self._validate(changes)
        with self._core.transaction():
            if "annotations" in changes:
                changes["annotations"] = (*run.annotations, *changes["annotations"])
            new = self._tables.check_runs.update(run, **self._completed(changes))
            if new.status == "completed" and run.status != "completed":
                self._core.publish("check_run", "completed", by, repository, check_run=new)
            self._settle(repository, new, by)
        return new

    def run(self, repository: Repository, identity: int) -> CheckRun | None:
        return self._tables.check_runs.one(repository_id=repository.id, id=identity)

    def runs(self, repository: Repository, sha: str) -> list[CheckRun]:
        return self._tables.check_runs.find(repository_id=repository.id, head_sha=sha)

    def suite_runs(self, suite: CheckSuite) -> list[CheckRun]:
        return self._tables.check_runs.find(suite_id=suite.id)

    def suite(self, identity: int) -> CheckSuite:
        return self._tables.check_suites.get(identity)

    def suites(self, repository: Repository, sha: str) -> list[CheckSuite]:
        return self._tables.check_suites.find(repository_id=repository.id, head_sha=sha)

    def request_again(self, repository: Repository, run: CheckRun, by: Actor) -> None:
        self._core.publish("check_run", "rerequested", by, repository, check_run=run)

    def settle_suite(
        self, repository: Repository, suite: CheckSuite, by: Actor, conclusion: str | None = None
    ) -> CheckSuite:
        """Work out a suite's status from its runs and tell when it completes."""
        runs = self.suite_runs(suite)
        done = bool(runs) and all(run.status == "completed" for run in runs)
        if conclusion is None and done:
            conclusion = combined_conclusion([run.conclusion for run in runs])
        status = "completed" if conclusion else ("in_progress" if runs else suite.status)
        new = self._tables.check_suites.update(
            suite, status=status, conclusion=conclusion, updated_at=self._core.now()
        )
        if status == "completed" and suite.status != "completed":
            self._core.publish("check_suite", "completed", by, repository, check_suite=new)
        return new

    # Commit statuses

    def create_status(
        self,
        repository: Repository,
        by: Actor,
        sha: str,
        state: str,
        *,
        context: str = "default",
        description: str | None = None,
        target_url: str | None = None,
    ) -> Status:
        if self._core.git(repository).kind(sha) != "commit":
            raise Refused(422, f"No commit found for SHA: {sha}")
        if state not in ("error", "failure", "pending", "success"):
            raise invalid("Status", "state", "state is not included in the list")
        if len(description or "") > 140:
            message = "description is too long (maximum is 140 characters)"
            raise invalid("Status", "description", message)
        now = self._core.now()
        with self._core.transaction():
            status = self._tables.statuses.insert(
                Status(
                    repository_id=repository.id,
                    sha=sha,
                    state=state,
                    context=context,
                    description=description,
                    target_url=target_url,
                    creator_id=by.user.id,
                    created_at=now,
                    updated_at=now,
                )
            )
            self._core.publish("status", None, by, repository, status=status)
        return status

    def statuses(self, repository: Repository, sha: str) -> list[Status]:
        """Newest first."""
        return self._tables.statuses.find(repository_id=repository.id, sha=sha)[::-1]

    def combined(self, repository: Repository, sha: str) -> tuple[str, list[Status]]:
        """The overall state and the newest status of each context.
        https://docs.github.com/rest/commits/statuses#get-the-combined-status-for-a-specific-reference
        """
        newest: dict[str, Status] = {}
        for status in self.statuses(repository, sha):
            newest.setdefault(status.context, status)
        states = {status.state for status in newest.values()}
        if states & {"error", "failure"}:
            return "failure", list(newest.values())
        return ("success" if states == {"success"} else "pending"), list(newest.values())

    # Inner parts

    def _suite(self, repository: Repository, app: App, sha: str, by: Actor) -> CheckSuite:
        found = self._tables.check_suites.find(
            repository_id=repository.id, app_id=app.id, head_sha=sha
        )
        return found[-1] if found else self.create_suite(repository, app, sha, None, by)

    def _validate(self, fields: Json) -> None:
        """Summary and text hold at most 65,535 characters, a request at most 50 annotations.
        https://docs.github.com/rest/checks/runs
        """
        output = fields.get("output") or {}
        for part in ("summary", "text"):
            size = len(output.get(part) or "")
            if size > TEXT_LIMIT:
                raise _invalid(f"Only {TEXT_LIMIT} characters are allowed; {size} were supplied.")
        annotations = len(fields.get("annotations") or ())
        if annotations > ANNOTATION_LIMIT:
            allowed = f"No more than {ANNOTATION_LIMIT} items are allowed"
            raise _invalid(f"{allowed}; {annotations} were supplied.")
        conclusion = fields.get("conclusion")
        if conclusion is not None and conclusion not in CONCLUSIONS:
            raise Refused(
                422,
                f"Invalid request.\n\n{conclusion} is not a member of {list(CONCLUSIONS)}.",
                docs=_DOCS,
            )
        if fields.get("status") == "completed" and conclusion is None:
            raise Refused(422, 'Invalid request.\n\nMissing required key "conclusion".', docs=_DOCS)

    def _completed(self, fields: Json) -> Json:
        """A conclusion completes the run; GitHub then also fills in the time."""
        if fields.get("conclusion") is None:
            return fields
        return {"completed_at": self._core.now(), **fields, "status": "completed"}

    def _settle(self, repository: Repository, run: CheckRun, by: Actor) -> None:
        suite = self.suite(run.suite_id)
        if suite.app_id == run.app_id and not self._tables.workflow_runs.count(suite_id=suite.id):
            self.settle_suite(repository, suite, by)


def _invalid(problem: str) -> Refused:
    return Refused(422, f"Invalid request.\n\n{problem}", docs=_DOCS)
