"""Writes what act tells into the store: jobs with their steps, logs, summaries and annotations."""

import re
from datetime import UTC, datetime
from typing import Any

from bot.forge.embedded.actions.output import Kind, Line
from bot.forge.embedded.actions.plan import Plan, PlannedJob
from bot.forge.embedded.store import Actor, Store
from bot.forge.embedded.store.checks import ANNOTATION_LIMIT, TEXT_LIMIT
from bot.forge.embedded.store.rows import Json, Repository, WorkflowJob, WorkflowRun

_LEVELS = {"error": "failure", "warning": "warning", "notice": "notice"}
_CONCLUSIONS = {"success", "failure", "skipped", "cancelled"}
_MOST_LOG = 8 * 1024 * 1024
_MOST_ANNOTATIONS = 10 * ANNOTATION_LIMIT
_MOST_JOBS = 256


class Recorder:
    """Follows one attempt of a run; `listing` puts the jobs that are known beforehand in the
    store, `take` is called with every line, `finish` settles what is left."""

    def __init__(self, store: Store, repository: Repository, run: WorkflowRun, plan: Plan) -> None:
        self._store = store
        self._repository = repository
        self._run = run
        self._plan = plan
        self._jobs: dict[str, _Job] = {}
        self._waiting: dict[str, WorkflowJob] = {}
        self.conclusions: list[str] = []

    def listing(self) -> None:
        """Queue the jobs whose names are known before the run."""
        for planned in self._plan.jobs:
            if planned.fixed_name:
                self._waiting[planned.id] = self._create(planned, planned.fixed_name)

    def take(self, line: Line) -> None:
        if not line.job:
            return
        job = self._jobs.get(line.job)
        if job is None:
            if len(self._jobs) >= _MOST_JOBS:
                return
            job = self._jobs[line.job] = self._begin(line)
        job.take(line)
        if job.conclusion and line.kind in (Kind.JOB_ENDED, Kind.UNSUPPORTED):
            self.conclusions.append(job.conclusion)

    def finish(self, conclusion: str, note: str = "") -> str:
        """End what has not ended: jobs that began get `conclusion` and the note, jobs that never
        did were skipped, or `conclusion` where nothing began. Return the conclusion of the run."""
        for job in self._jobs.values():
            if not job.conclusion:
                job.end(conclusion, note)
                self.conclusions.append(conclusion)
        for id_, row in self._waiting.items():
            ended = "skipped" if self.conclusions and not note else conclusion
            job = _Job(self._store, self._repository, row, self._planned(id_))
            job.end(ended, note)
            self.conclusions.append(ended)
        self._waiting.clear()
        return _worst(self.conclusions) if self.conclusions else conclusion

    def _begin(self, line: Line) -> "_Job":
        """act calls a job by its workflow's name and its own; for a job of a called workflow the
        caller stands where else the workflow does."""
        ours = {f"{self._plan.name}/", f"{self._plan.name.rpartition('/')[2]}/"}
        prefix = next((name for name in ours if line.job.startswith(name)), None)
        if prefix is None:
            planned, row = _unplanned(line.job_id), None
            caller, _, inner = line.job.partition("/")
            name = f"{caller} / {inner.rpartition('/')[2]}"
        else:
            planned, row = self._planned(line.job_id), self._waiting.pop(line.job_id, None)
            name = _shown_name(line.job.removeprefix(prefix), line, planned)
        return _Job(self._store, self._repository, row or self._create(planned, name), planned)

    def _planned(self, id_: str) -> PlannedJob:
        found = (planned for planned in self._plan.jobs if planned.id == id_)
        return next(found, _unplanned(id_))

    def _create(self, planned: PlannedJob, name: str) -> WorkflowJob:
        actions = self._store.actions
        return actions.create_job(self._repository, self._run, name, planned.labels)


class _Job:
    """One job as it goes on."""

    def __init__(
        self, store: Store, repository: Repository, row: WorkflowJob, planned: PlannedJob
    ) -> None:
        self._store = store
        self._repository = repository
        self._row = row
        self._names = {step.key: step.name for step in planned.steps}
        self._may_fail = {step.key for step in planned.steps if step.may_fail}
        self._matrix = planned.matrix
        self._steps: list[Json] = []
        self._by_key: dict[str, Json] = {}
        self._summary = ""
        self._annotations: list[Json] = []
        self._logged = 0
        self.conclusion = ""

    def take(self, line: Line) -> None:
        if not self._steps:
            self._open("", "Set up job")
        if line.kind is Kind.STEP_STARTED:
            self._start_step(line)
        elif line.kind is Kind.STEP_ENDED:
            self._end_step(line)
        elif line.kind is Kind.JOB_ENDED:
            self.end(self._own_result(line.result))
        elif line.kind is Kind.UNSUPPORTED:
            self.end("skipped", "This machine runs Linux jobs only; the job was skipped.")
        elif line.kind is Kind.SUMMARY:
            self._summary += line.text.rstrip("\n") + "\n"
        elif line.kind is Kind.ANNOTATION:
            self._annotate(line)
        elif line.raw or line.level == "error":
            self._log(line.text if line.raw else f"##[error]{_as_github_says(line.text)}")

    def end(self, conclusion: str, note: str = "") -> None:
        """Conclude the job and its check run."""
        if note:
            self._log(f"##[error]{note}" if conclusion == "failure" else note)
            self._annotations.append(_annotation("failure", note, {}))
        if self._steps:
            self._close_steps(conclusion)
        self.conclusion = conclusion
        self._publish_annotations()
        self._store.actions.update_job(
            self._repository,
            self._row,
            self._output(conclusion),
            status="completed",
            conclusion=conclusion,
            steps=tuple(self._steps),
        )

    def _own_result(self, result: str) -> str:
        """act tells each job of a matrix the result of all of them together; what failed is told
        by its own steps, or by its never having come to one."""
        if result == "failure" and self._matrix:
            main = [step for key, step in self._by_key.items() if key]
            if main and all(step["conclusion"] != "failure" for step in main):
                return "success"
        return result if result in _CONCLUSIONS else "failure"

    def _start_step(self, line: Line) -> None:
        if line.step in self._by_key:
            return
        self._close_current("success")
        name = self._names.get(line.step, "${{")
        if "${{" in name:  # act knows what the expressions in it come to
            name = f"Run {line.text.removeprefix('⭐ Run Main ').splitlines()[0]}"[:255]
        self._open(line.step, name)
        self._log(f"##[group]{name}\n##[endgroup]")

    def _end_step(self, line: Line) -> None:
        step = self._by_key.get(line.step)
        if step is None:  # act tells of a step that it skips only that it ended
            step = self._open(line.step, self._names.get(line.step, line.step))
        result = "success" if line.step in self._may_fail else line.result
        step |= {"status": "completed", "conclusion": result, "completed_at": _now()}
        self._save()

    def _open(self, key: str, name: str) -> Json:
        now = _now()
        step = {
            "name": name,
            "number": len(self._steps) + 1,
            "status": "in_progress",
            "conclusion": None,
            "started_at": now,
            "completed_at": None,
        }
        self._steps.append(step)
        self._by_key[key] = step
        self._save(status="in_progress")
        return step

    def _close_current(self, conclusion: str) -> None:
        last = self._steps[-1] if self._steps else None
        if last is not None and last["status"] != "completed":
            last |= {"status": "completed", "conclusion": conclusion, "completed_at": _now()}

    def _close_steps(self, conclusion: str) -> None:
        """The step that was running shares the job's fate, those that never began were skipped."""
        self._close_current("success" if conclusion == "success" else conclusion)
        for key, name in self._names.items():
            if key not in self._by_key:
                self._open(key, name)
                self._steps[-1]["started_at"] = None
                self._close_current("skipped")
        self._open("--complete", "Complete job")
        self._close_current("success")

    def _save(self, **changes: Any) -> None:
        steps = tuple(dict(step) for step in self._steps)
        actions = self._store.actions
        self._row = actions.update_job(self._repository, self._row, steps=steps, **changes)

    def _annotate(self, line: Line) -> None:
        self._log(f"##[{line.level}]{line.text}")
        if len(self._annotations) < _MOST_ANNOTATIONS:
            level = _LEVELS[line.level]
            self._annotations.append(_annotation(level, line.text, line.place))

    def _publish_annotations(self) -> None:
        app = self._store.apps.actions()
        by = Actor(self._store.apps.bot(app), app=app)
        for start in range(0, len(self._annotations), ANNOTATION_LIMIT):
            check = self._store.tables.check_runs.get(self._row.id)
            some = tuple(self._annotations[start : start + ANNOTATION_LIMIT])
            self._store.checks.update_run(self._repository, check, by, annotations=some)
        self._annotations.clear()

    def _output(self, conclusion: str) -> Json:
        return {"title": f"{self._row.name}: {conclusion}", "summary": self._summary[:TEXT_LIMIT]}

    def _log(self, text: str) -> None:
        if self._logged > _MOST_LOG:
            return
        self._logged += len(text)
        if self._logged > _MOST_LOG:
            text = "the rest of the log is left out"
        stamp = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}0Z"
        lines = "".join(f"{stamp} {line}\n" for line in text.split("\n"))
        self._store.actions.append_log(self._row, lines)


def _as_github_says(text: str) -> str:
    code = text.removeprefix("exit status ")
    return f"Process completed with exit code {code}." if code.isdecimal() else text


def _unplanned(id_: str) -> PlannedJob:
    return PlannedJob(id=id_, fixed_name="", labels=(), steps=(), matrix=False, supported=True)


def _annotation(level: str, message: str, place: dict[str, str]) -> Json:
    """An annotation of a check run; GitHub puts one without a file on `.github`."""
    line = int(place["line"]) if place.get("line", "").isdecimal() else 1
    end = int(place["endLine"]) if place.get("endLine", "").isdecimal() else line
    return {
        "path": place.get("file") or ".github",
        "start_line": line,
        "end_line": end,
        "annotation_level": level,
        "message": message[:16_000] or " ",
        "title": place.get("title", "")[:255],
        "raw_details": "",
    }


def _shown_name(given: str, line: Line, planned: PlannedJob) -> str:
    """GitHub's name of a job: an expression filled in, else the id with the matrix's values."""
    if planned.fixed_name or not planned.matrix:
        return planned.fixed_name or given
    base = re.sub(r"-\d+$", "", given)
    values = ", ".join(str(value) for value in line.matrix.values())
    return f"{base} ({values})" if base == planned.id and values else base


def _worst(conclusions: list[str]) -> str:
    for worst in ("failure", "cancelled"):
        if worst in conclusions:
            return worst
    return "success" if "success" in conclusions else "skipped"


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
