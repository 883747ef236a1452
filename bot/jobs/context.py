"""One job of GitHub Actions as its environment describes it, and what its action was given."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import SecretStr, ValidationError

from bot.base import Data, RepowrightError
from bot.config import Settings
from bot.settingsfile import settings_of_text

_HINT = "this is for jobs of GitHub Actions; elsewhere use `repowright resume OWNER/NAME#ISSUE`"
_PREFIX = "REPOWRIGHT_"
_MINUTES = 300.0

ChecksWhere = Literal["workflow", "job"]


class JobContext(Data):
    """What GitHub says of a job. `payload` is the event's, as a webhook would bring it; `started`
    is when the job began, in seconds since 1970, where its action knows; `summary` and `output`
    are the files of the running step.
    https://docs.github.com/en/actions/reference/workflows-and-actions/variables
    """

    repository: str
    event: str
    payload: bytes
    commit: str
    branch: str
    api_url: str
    server_url: str
    run_id: int
    attempt: int
    job: str
    folder: Path
    started: float | None = None
    summary: Path | None = None
    output: Path | None = None

    @property
    def holder(self) -> str:
        """The name under which this job holds leases; who is none has no workflow run."""
        return f"{self.run_id}.{self.attempt}.{self.job}" if self.run_id else self.job

    @property
    def page(self) -> str:
        """Where people can watch the job, or who works in place of one."""
        if not self.run_id:
            return self.job
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}"


class JobInputs(Data):
    """What the workflow gave the action. `experience` is a file to learn in, `report` a folder with
    the report of this workflow run's check; `minutes` bounds the time that is worked, and
    `seconds_between_writes` may be 0 on a GitHub without rate limits."""

    token: SecretStr
    key: SecretStr
    settings: Settings
    backend: str
    checks: ChecksWhere
    minutes: float
    sandbox: str
    seconds_between_writes: float = 1.0
    experience: str = ""
    report: Path | None = None

    def secrets(self) -> tuple[str, ...]:
        """Everything that must not be shown."""
        texts = (self.token.get_secret_value(), self.key.get_secret_value())
        return tuple(text for text in texts if text)


def holder_run(holder: str) -> tuple[int, int] | None:
    """Workflow run and attempt of the job of this name; None where another host has it."""
    run, _, rest = holder.partition(".")
    attempt = rest.partition(".")[0]
    return (int(run), int(attempt)) if run.isdecimal() and attempt.isdecimal() else None


def read_context(environ: Mapping[str, str]) -> JobContext:
    """Raise RepowrightError where this is no job."""
    event = Path(_needed(environ, "GITHUB_EVENT_PATH"))
    try:
        payload = event.read_bytes()
    except OSError as error:
        problem = f"the event cannot be read: {error.strerror}"
        raise RepowrightError(problem, where=str(event), hint=_HINT) from error
    started = environ.get(f"{_PREFIX}STARTED", "")
    return JobContext(
        repository=_needed(environ, "GITHUB_REPOSITORY"),
        event=_needed(environ, "GITHUB_EVENT_NAME"),
        payload=payload,
        commit=environ.get("GITHUB_SHA", ""),
        branch=environ.get("GITHUB_REF_NAME", ""),
        api_url=_needed(environ, "GITHUB_API_URL"),
        server_url=_needed(environ, "GITHUB_SERVER_URL"),
        run_id=_number(environ, "GITHUB_RUN_ID"),
        attempt=_number(environ, "GITHUB_RUN_ATTEMPT"),
        job=environ.get("GITHUB_JOB", "job"),
        folder=Path(_needed(environ, "RUNNER_TEMP")) / "repowright-job",
        started=float(started) if started.replace(".", "", 1).isdecimal() else None,
        summary=_path(environ.get("GITHUB_STEP_SUMMARY", "")),
        output=_path(environ.get("GITHUB_OUTPUT", "")),
    )


def read_inputs(environ: Mapping[str, str]) -> JobInputs:
    """Raise RepowrightError naming the input that is wrong."""

    def given(name: str, default: str = "") -> str:
        return environ.get(f"{_PREFIX}{name}", "").strip() or default

    if not given("TOKEN"):
        raise RepowrightError(
            "the action was given no token",
            where="token",
            hint="leave the input out for the job's own GITHUB_TOKEN, or name a secret that is set",
        )
    settings = settings_of_text(given("SETTINGS"), "settings")
    if given("WORKFLOW"):
        checks = settings.checks.model_copy(update={"workflow": given("WORKFLOW")})
        settings = settings.model_copy(update={"checks": checks})
    try:
        return JobInputs.model_validate(
            {
                "token": given("TOKEN"),
                "key": given("API_KEY"),
                "settings": settings,
                "backend": given("BACKEND", "openai"),
                "checks": given("CHECKS", "workflow"),
                "minutes": given("MINUTES", str(_MINUTES)),
                "sandbox": given("SANDBOX", "bubblewrap"),
                "seconds_between_writes": given("SECONDS_BETWEEN_WRITES", "1"),
                "experience": given("EXPERIENCE"),
                "report": given("REPORT") or None,
            }
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise RepowrightError(
            f"the input is wrong: {first['msg']}",
            where=str(first["loc"][0]),
            hint="docs/actions.md lists the inputs",
        ) from error


def _needed(environ: Mapping[str, str], name: str) -> str:
    found = environ.get(name, "")
    if not found:
        raise RepowrightError(f"{name} is not set", hint=_HINT)
    return found


def _number(environ: Mapping[str, str], name: str) -> int:
    found = _needed(environ, name)
    if not found.isdecimal():
        raise RepowrightError(f"{name} is no number", where=found[:40], hint=_HINT)
    return int(found)


def _path(text: str) -> Path | None:
    return Path(text) if text else None
