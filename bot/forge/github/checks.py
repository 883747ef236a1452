"""Check runs, or commit statuses where the credential may not publish check runs."""

import re

from github.CheckRun import CheckRun
from github.Commit import Commit
from github.CommitStatus import CommitStatus

from bot.forge.github import marks
from bot.forge.github.client import GitHubClient
from bot.forge.github.errors import Refused
from bot.forge.github.pages import objects
from bot.forge.github.people import login_of
from bot.forge.github.writes import Writer
from bot.ports.forge import CheckAnnotation, Conclusion, ForgeError

_COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# https://docs.github.com/en/rest/checks/runs#create-a-check-run
_ANNOTATIONS_AT_ONCE = 50
# https://docs.github.com/en/rest/commits/statuses#create-a-commit-status
_DESCRIPTION_LIMIT = 140
_STATES: dict[Conclusion, str] = {
    "success": "success",
    "neutral": "success",
    "failure": "failure",
    "action_required": "failure",
    "cancelled": "error",
    "timed_out": "error",
}


class Checks:
    def __init__(self, client: GitHubClient, writer: Writer) -> None:
        self._client = client
        self._writer = writer
        self._only_statuses = False

    def publish(
        self,
        mark: str,
        *,
        name: str,
        commit: str,
        conclusion: Conclusion,
        title: str,
        summary: str,
        annotations: tuple[CheckAnnotation, ...],
    ) -> None:
        """Only Apps may create check runs; a personal token gets 403 and leaves a status."""
        if not self._only_statuses:
            output: dict[str, str | list[dict[str, str | int]]] = {
                "title": self._writer.title_line(title),
                "summary": self._writer.fitting(summary),
            }
            try:
                self._check_run(mark, name, commit, conclusion, output, annotations)
            except Refused as refusal:
                if refusal.status != 403:
                    raise
                self._only_statuses = True
        if self._only_statuses:
            self._status(name, commit, conclusion, title)

    def _check_run(
        self,
        mark: str,
        name: str,
        commit: str,
        conclusion: Conclusion,
        output: dict[str, str | list[dict[str, str | int]]],
        annotations: tuple[CheckAnnotation, ...],
    ) -> None:
        notes = [self._annotation(note) for note in annotations]

        def create() -> CheckRun:
            return self._client.repository.create_check_run(
                name=name,
                head_sha=commit,
                external_id=marks.external_id(mark),
                status="completed",
                conclusion=conclusion,
                output={**output, "annotations": notes[:_ANNOTATIONS_AT_ONCE]},
            )

        run = self._writer.once(lambda: self._find(mark, name, commit), create)
        while (done := run.output.annotations_count) < len(notes):
            run = self._annotate(run, output, notes[done : done + _ANNOTATIONS_AT_ONCE])

    def _annotate(
        self,
        run: CheckRun,
        output: dict[str, str | list[dict[str, str | int]]],
        notes: list[dict[str, str | int]],
    ) -> CheckRun:
        """Append annotations; their number on GitHub says whether they are there already."""
        wanted = run.output.annotations_count + len(notes)

        def find() -> CheckRun | None:
            now = self._client.repository.get_check_run(run.id)
            return now if now.output.annotations_count >= wanted else None

        def append() -> CheckRun:
            run.edit(output={**output, "annotations": notes})
            now = find()
            if now is None:
                raise ForgeError("GitHub did not keep the annotations of a check run")
            return now

        return self._writer.once(find, append)

    def _find(self, mark: str, name: str, commit: str) -> CheckRun | None:
        wanted = marks.external_id(mark)
        runs = objects(
            CheckRun,
            self._client.transport,
            f"{self._commit(commit).url}/check-runs",
            key="check_runs",
            check_name=name,
            filter="all",
        )
        return next((r for r in runs if r.external_id == wanted and r.head_sha == commit), None)

    def _status(self, name: str, commit: str, conclusion: Conclusion, title: str) -> None:
        """The newest status of a context counts, so one that says the same is left alone."""
        at = self._commit(commit)
        state = _STATES[conclusion]
        said = self._writer.title_line(title, _DESCRIPTION_LIMIT)

        def find() -> CommitStatus | None:
            listed = objects(CommitStatus, self._client.transport, f"{at.url}/statuses")
            newest = next((s for s in listed if s.context == name), None)
            if newest is None or not self._client.is_me(login_of(newest.creator)):
                return None
            return newest if (newest.state, newest.description) == (state, said) else None

        self._writer.once(
            find, lambda: at.create_status(state=state, description=said, context=name)
        )

    def _annotation(self, note: CheckAnnotation) -> dict[str, str | int]:
        return {
            "path": note.path,
            "start_line": note.line,
            "end_line": note.line,
            "annotation_level": note.level,
            "message": self._writer.fitting(note.message),
        }

    def _commit(self, commit: str) -> Commit:
        """The commit without asking for it: its address is all that is needed."""
        if not _COMMIT_ID.fullmatch(commit):
            raise ForgeError(f"{commit[:80]!a} is not a commit id")
        url = f"{self._client.repository.url}/commits/{commit}"
        return Commit(self._client.transport, {}, {"url": url, "sha": commit}, completed=True)
