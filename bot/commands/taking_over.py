"""`repowright resume OWNER/NAME#ISSUE`: this machine takes the place of a job that is no more."""

import os
import re
import socket
import sys
import tempfile
from functools import partial
from pathlib import Path

from pydantic import SecretStr

from bot.base import ExitCode, RepowrightError
from bot.config import Settings
from bot.experience.tables import OFF
from bot.jobs.context import JobContext, JobInputs
from bot.jobs.session import JobSession
from bot.jobs.show import outcome_of, outputs_of, sentence_of
from bot.logs import log_to_stderr
from bot.plainconsole import PlainConsole
from bot.redaction import redact
from bot.runs.events import Woken
from bot.serverconfig import TOKEN
from bot.terminal import print_json

_WELL = ("passed", "merged", "waiting")
_MINUTES = 24 * 60.0
_GITHUB = "https://github.com"
_ISSUE = re.compile(
    r"(?:(?P<web>https?://[^/\s]+)/)?(?P<repository>[\w.-]+/[\w.-]+)(?:#|/issues/)(?P<number>\d{1,9})"
)


def take_over(
    issue: str,
    settings: Settings,
    backend: str,
    checks: str,
    experience: str,
    sandbox: str,
    *,
    json: bool,
) -> int:
    """Work on the run of an issue, OWNER/NAME#NUMBER or an address, until it waits or ends, and
    return the exit code; raise RepowrightError where something is missing."""
    if checks not in ("workflow", "here"):
        raise RepowrightError(
            f"check tests cannot run in `{checks}`", hint="use `workflow`, or `here`"
        )
    token = os.environ.get(TOKEN) or os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN")
    if not token:
        raise RepowrightError("there is no GitHub token", hint=f"set {TOKEN} or GITHUB_TOKEN")
    inputs = JobInputs(
        token=SecretStr(token),
        key=SecretStr(os.environ.get(settings.endpoint.api_key_env, "")),
        settings=settings,
        backend=backend,
        checks="job" if checks == "here" else "workflow",
        minutes=_MINUTES,
        sandbox=sandbox,
        experience="" if experience == OFF else experience,
    )
    log_to_stderr("text", partial(redact, secrets=inputs.secrets()))
    with tempfile.TemporaryDirectory(prefix="repowright-") as folder:
        context, number = _place_of(issue, Path(folder))
        event = Woken(repository=context.repository, installation=0, issue=number, why="resumed")
        with JobSession(context, inputs, out=sys.stderr if json else sys.stdout) as session:
            turns = session.generate((event,))
    if json:
        print_json(outputs_of(turns))
    else:
        for turn in turns:
            PlainConsole().print(sentence_of(turn), soft_wrap=True, markup=False, highlight=False)
    well = bool(turns) and all(outcome_of(turn) in _WELL for turn in turns)
    return ExitCode.OK if well else ExitCode.FAILED


def _place_of(issue: str, folder: Path) -> tuple[JobContext, int]:
    """Where the issue is: at its address, else on the environment's GitHub, else on github.com."""
    web = os.environ.get("GITHUB_SERVER_URL", _GITHUB).rstrip("/")
    found = _ISSUE.fullmatch(issue)
    if found is None:
        raise RepowrightError("this is no issue", where=issue, hint="give OWNER/NAME#NUMBER")
    web = found["web"] or web
    own = "https://api.github.com" if web == _GITHUB else f"{web}/api/v3"
    context = JobContext(
        repository=found["repository"],
        event="workflow_dispatch",
        payload=b"{}",
        commit="",
        branch="",
        api_url=os.environ.get("GITHUB_API_URL", own),
        server_url=web,
        run_id=0,
        attempt=1,
        job=f"{socket.gethostname()}-{os.getpid()}",
        folder=folder,
    )
    return context, int(found["number"])
