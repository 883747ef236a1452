"""Collects from the store what several pages show: checks, jobs with logs, review threads."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.forge.embedded.pages import logs, tally, words
from bot.forge.embedded.pages.rounds import Check
from bot.forge.embedded.pages.tally import Tally
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.rows import (
    Artifact,
    CheckRun,
    Issue,
    Json,
    Label,
    Pull,
    Repository,
    ReviewComment,
    WorkflowJob,
    WorkflowRun,
)

Thread = list[ReviewComment]
_CLOSES = re.compile(
    r"\b(?:builds what|close[sd]?|fix(?:e[sd])?|resolve[sd]?|implements|for)[\s:]{1,3}#(\d{1,9})\b",
    re.I,
)


@dataclass(frozen=True)
class StepView:
    number: int
    name: str
    state: str
    took: str
    lines: list[logs.LogLine]


@dataclass(frozen=True)
class JobView:
    """`note` says why there are no steps."""

    job: WorkflowJob
    title: str
    summary: str
    annotations: tuple[Json, ...]
    steps: list[StepView]
    note: str


@dataclass(frozen=True)
class RunView:
    run: WorkflowRun
    jobs: list[JobView]
    artifacts: list[Artifact]


@dataclass(frozen=True)
class CheckView:
    check: CheckRun
    title: str
    summary: str
    text: str
    open: bool = True


@dataclass(frozen=True)
class PullView:
    """A pull request in a list or beside its issue."""

    issue: Issue
    pull: Pull | None
    labels: list[Label]
    comments: int
    state: str
    tally: Tally | None = None


class Gather:
    def __init__(self, store: Store) -> None:
        self._store = store

    def commit_count(self, repository: Repository, commit: str) -> int:
        return int(self._store.git(repository).git("rev-list", "--count", commit))

    # Checks

    def checks(self, repository: Repository, sha: str) -> list[Check]:
        """Check runs and commit statuses of a commit."""
        base = f"/{repository.full_name}"
        found = [self._check(base, run) for run in self._store.checks.runs(repository, sha)]
        for status in self._store.checks.combined(repository, sha)[1]:
            title = status.description or ""
            url = f"{base}/commit/{sha}"
            found.append(
                Check(
                    sha, status.context, status.state, title, url, status.updated_at,
                    tally.read(title),
                )
            )  # fmt: skip
        return found

    def _check(self, base: str, run: CheckRun) -> Check:
        job = self._store.tables.workflow_jobs.one(id=run.id)
        url = f"{base}/actions/runs/{job.run_id}#job-{job.id}" if job else f"{base}/runs/{run.id}"
        title, summary, text = _output(run)
        return Check(
            sha=run.head_sha,
            name=run.name,
            state=run.conclusion or run.status,
            title=title,
            url=url,
            at=run.completed_at or run.started_at,
            tally=tally.read(title, summary, text),
        )

    def state(self, repository: Repository, sha: str) -> str:
        """One word for all checks of a commit, such as "failure"; empty where there are none."""
        results = {check.result for check in self.checks(repository, sha)}
        order = (("failed", "failure"), ("running", "in_progress"), ("passed", "success"))
        return next((word for result, word in order if result in results), "")

    def check_view(self, run: CheckRun) -> CheckView:
        title, summary, text = _output(run)
        return CheckView(run, title, summary, text)

    # Workflow runs

    def run_view(self, repository: Repository, run: WorkflowRun) -> RunView:
        actions = self._store.actions
        jobs = [self._job(repository, job) for job in actions.jobs(run)]
        return RunView(run, jobs, actions.artifacts(run))

    def _job(self, repository: Repository, job: WorkflowJob) -> JobView:
        check = self._store.checks.run(repository, job.id)
        title, summary, text = _output(check) if check else ("", "", "")
        steps = step_views(job.steps, self._store.actions.log(job))
        note = "" if steps else "This job has not written anything yet."
        annotations = check.annotations if check else ()
        return JobView(
            job, title, "\n\n".join(filter(None, (summary, text))), annotations, steps, note
        )

    # Issues and reviews

    def in_list(self, repository: Repository, issue: Issue) -> PullView:
        store = self._store
        pull = store.pulls.of_issue(issue) if issue.is_pull else None
        checks = self.checks(repository, pull.head_sha) if pull else []
        return PullView(
            issue=issue,
            pull=pull,
            labels=store.issues.label_rows(issue),
            comments=store.tables.comments.count(issue_id=issue.id),
            state=self.state(repository, pull.head_sha) if pull else "",
            tally=max((c.tally for c in checks if c.tally), key=lambda t: t.total, default=None),
        )

    def pulls_for(self, repository: Repository, number: int) -> list[PullView]:
        """Pull requests that say they close the issue."""
        found = [issue for issue in self._store.issues.of(repository) if issue.is_pull]
        named = [issue for issue in found if number in linked_issues(issue.body or "")]
        return [self.in_list(repository, issue) for issue in named]

    def threads(self, pull: Pull) -> list[Thread]:
        """Inline comments grouped into threads, oldest first."""
        threads: dict[int, Thread] = {}
        for comment in self._store.reviews.pull_comments(pull):
            threads.setdefault(comment.in_reply_to_id or comment.id, []).append(comment)
        return list(threads.values())


def linked_issues(body: str) -> list[int]:
    """The issues that a description says it closes.
    https://docs.github.com/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue
    """
    return list(dict.fromkeys(int(number) for number in _CLOSES.findall(body)))


def step_views(steps: Sequence[Json], log: str) -> list[StepView]:
    """The steps of a job, each with its part of the log; a log without steps stands alone."""
    names = [str(step.get("name", "")) for step in steps]
    parts = _split_log(log, names, [_time(step.get("started_at")) for step in steps])
    views = [
        StepView(
            number=int(step.get("number", at + 1)),
            name=names[at],
            state=str(step.get("conclusion") or step.get("status") or "queued"),
            took=words.duration(_time(step.get("started_at")), _time(step.get("completed_at"))),
            lines=logs.read(parts[at]),
        )
        for at, step in enumerate(steps)
    ]
    if not views and log.strip():
        views.append(StepView(1, "Log", "neutral", "", logs.read(log)))
    return views


def _split_log(log: str, names: Sequence[str], starts: Sequence[datetime | None]) -> list[str]:
    """The log by steps: a group with a step's name begins it; in a log without such groups the
    steps' times tell them apart, to the second."""
    rows = log.splitlines(keepends=True)
    heads = {f"##[group]{name}" for name in names}
    marked = any(logs.bare(row) in heads for row in rows)
    parts: list[list[str]] = [[] for _ in names]
    at = 0
    for row in rows if names else ():
        if marked:
            later = [i for i in range(at, len(names)) if logs.bare(row) == f"##[group]{names[i]}"]
            if later:
                at = later[0] if not parts[later[0]] else later[-1]
                continue
        else:
            stamp = _time(row.partition(" ")[0])
            while stamp and at + 1 < len(names) and _before(starts[at + 1], stamp):
                at += 1
        parts[at].append(row)
    return ["".join(part) for part in parts]


def _before(start: datetime | None, stamp: datetime) -> bool:
    return start is not None and start <= stamp


def _time(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text)) if text else None
    except ValueError:
        return None


def _output(run: CheckRun) -> tuple[str, str, str]:
    output = run.output
    return tuple(str(output.get(part) or "") for part in ("title", "summary", "text"))  # type: ignore[return-value]


def index_threads(threads: Iterable[Thread]) -> dict[tuple[str, str, int], list[Thread]]:
    """Threads by path, side and line; those on a whole file at side "" and line 0."""
    index: dict[tuple[str, str, int], list[Thread]] = {}
    for thread in threads:
        first = thread[0]
        whole = first.subject_type == "file"
        if whole or first.line is not None:
            key = (first.path, "" if whole else first.side, 0 if whole else first.line or 0)
            index.setdefault(key, []).append(thread)
    return index
