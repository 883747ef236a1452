"""Workflow runs: the one of a file on a commit, its artifact and log, and starting one."""

import io
import re
import zipfile
from collections.abc import Iterator
from urllib.parse import quote

from github.Artifact import Artifact
from github.WorkflowRun import WorkflowRun as Run

from bot.forge.github.client import GitHubClient
from bot.forge.github.downloads import Downloads
from bot.forge.github.errors import Refused, Unclear
from bot.forge.github.pages import objects
from bot.forge.github.writes import Writer
from bot.ports.checks import WorkflowRun
from bot.ports.forge import ForgeError, NotStarted
from bot.zips import BROKEN, METHODS

LOG_LIMIT = 256 << 10
"""Bytes at the end of a log that are kept."""

_UNPACKED_LIMIT = 1 << 30
_CHUNK = 1 << 16
_FILE_NAME = re.compile(r"[A-Za-z0-9_.-]+\.ya?ml")
# A run appears some seconds after it was asked for.
_APPEARS_WITHIN = 30.0
_LOOK_EVERY = 2.0


class Actions:
    def __init__(self, client: GitHubClient, writer: Writer, downloads: Downloads) -> None:
        self._client = client
        self._writer = writer
        self._downloads = downloads
        self._dispatched: set[tuple[str, str]] = set()

    def run(self, workflow: str, commit: str) -> WorkflowRun | None:
        """Redirects drop the filter, so the commit is compared here too. A run whose jobs were all
        left out has checked nothing."""
        runs = objects(
            Run,
            self._client.transport,
            f"{self._workflow_url(workflow)}/runs",
            key="workflow_runs",
            head_sha=commit,
        )
        try:
            of_commit = [
                run for run in runs if run.head_sha == commit and run.conclusion != "skipped"
            ]
        except Refused as refusal:
            if refusal.status == 404:
                return None
            raise
        return _data(max(of_commit, key=lambda run: run.id)) if of_commit else None

    def dispatch(self, workflow: str, ref: str) -> None:
        """GitHub gives a dispatch no place for a mark: the run on the branch's head is what a
        repetition looks for, so this waits until it is there to be seen."""
        branch = f"{self._client.repository.url}/branches/{quote(ref, safe='')}"
        commit = str(self._client.get(branch)["commit"]["sha"])
        url = f"{self._workflow_url(workflow)}/dispatches"
        send = self._client.transport.requestJsonAndCheck

        def create() -> WorkflowRun | None:
            try:
                send("POST", url, input={"ref": ref})
            except Refused as refusal:
                raise _not_started(workflow, refusal) from None
            except Unclear:
                run = self._appearing(workflow, commit)
                if run is None:
                    raise
                return run
            self._dispatched.add((workflow, commit))
            return self._appearing(workflow, commit)

        if (workflow, commit) not in self._dispatched:
            self._writer.once(lambda: self.run(workflow, commit), create)

    def artifact(self, run_id: int, name: str) -> bytes | None:
        base = f"{self._client.repository.url}/actions"
        listed = objects(
            Artifact,
            self._client.transport,
            f"{base}/runs/{run_id}/artifacts",
            key="artifacts",
            name=name,
        )
        kept = [found.id for found in listed if found.name == name and not found.expired]
        return self._downloads.archive(f"{base}/artifacts/{max(kept)}/zip") if kept else None

    def log(self, run_id: int) -> str:
        """Empty where the log has expired."""
        url = f"{self._client.repository.url}/actions/runs/{run_id}/logs"
        archive = self._downloads.archive(url)
        return joined_tail(archive) if archive else ""

    def _appearing(self, workflow: str, commit: str) -> WorkflowRun | None:
        clock = self._client.clock
        deadline = clock.now() + _APPEARS_WITHIN
        while (run := self.run(workflow, commit)) is None and clock.now() < deadline:
            clock.sleep(_LOOK_EVERY)
        return run

    def _workflow_url(self, workflow: str) -> str:
        if not _FILE_NAME.fullmatch(workflow):
            raise ForgeError(
                f"{workflow[:80]!a} is not the name of a workflow file",
                hint="give the base name, such as repowright-check.yml",
            )
        return f"{self._client.repository.url}/actions/workflows/{workflow}"


def _not_started(workflow: str, refusal: Refused) -> ForgeError:
    """https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event"""
    if refusal.status == 404:
        return NotStarted(
            f"GitHub knows no workflow `{workflow}`",
            hint="it has to run on a push, or stand on the default branch",
        )
    if refusal.status == 422 and "disabled" in refusal.what:
        return ForgeError(
            f"The check workflow `{workflow}` is disabled", hint="enable it under Actions"
        )
    if refusal.status == 422 and "trigger" in refusal.what:
        return NotStarted(
            f"The check workflow `{workflow}` did not start on the push",
            hint="have it run on a push, or give it `workflow_dispatch` for the bot to start it",
        )
    return refusal


def joined_tail(archive: bytes) -> str:
    """The end of the logs in an archive: each job's whole log at its top, or, where GitHub has
    none, the steps' logs in their folders."""
    tail = b""
    unpacked = 0
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as bundle:
            for chunk in _chunks(bundle):
                tail = (tail + chunk)[-LOG_LIMIT:]
                unpacked += len(chunk)
                if unpacked > _UNPACKED_LIMIT:
                    break
    except BROKEN as error:
        raise ForgeError("The log of a workflow run is not a readable zip file") from error
    return tail.decode("utf-8", "replace")


def _chunks(bundle: zipfile.ZipFile) -> Iterator[bytes]:
    entries = [entry for entry in bundle.infolist() if entry.compress_type in METHODS]
    names = sorted(entry.filename for entry in entries if entry.filename.endswith(".txt"))
    whole = [name for name in names if "/" not in name]
    for name in whole or names:
        with bundle.open(name) as log:
            while chunk := log.read(_CHUNK):
                yield chunk


def _data(run: Run) -> WorkflowRun:
    return WorkflowRun(
        id=run.id,
        name=run.name or "",
        head_sha=run.head_sha,
        status=run.status,
        conclusion=run.conclusion,
        html_url=run.html_url,
    )
