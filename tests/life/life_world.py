"""One run on an embedded GitHub where nothing happens but what a test has happen: no workflow runs
by itself, and the clock goes on when told to."""

import io
import shutil
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

from pydantic import SecretStr

from bot.config import Settings
from bot.forge.embedded.git.objects import RefUpdate
from bot.forge.embedded.seed import Seeded, seed
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import (
    Account,
    Installation,
    Issue,
    Pull,
    Repository,
    WorkflowRun,
)
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import AppKey, GivenToken
from bot.local import issue_of
from bot.model.scripted import Answer, ScriptedModel
from bot.phases.leg import leg
from bot.phases.record import save
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.runs.start import find_run, new_run, run_ref
from bot.spec.folder import spec_from_files
from bot.specfolder import read_folder
from bot.wiring import MAINTAINER, Hub, Workplace, services_of

TALLY = Path(__file__).parent.parent / "journeys" / "specs" / "tally"
WORKFLOW = ".github/workflows/repowright-check.yml"
WRITTEN: Mapping[str, Answer] = {
    "code.*/write/*": '<file path="tally/counting.py">\n"""Counts words."""\n\n\n'
    "def count(text: str) -> dict[str, int]:\n    return {}\n\n\n"
    "def top(text: str, n: int = 3) -> list[str]:\n    return []\n</file>"
}
TO_CHECK = 4


class Silent:
    """A narrator that nobody hears."""

    def tell(self, state: RunState, text: str) -> None: ...


class Life:
    """The maintainer's repository with a spec issue, numbered 1, that has the label; its pull
    request is number 2. `ahead` is how far the bot's clock is ahead of the machine's."""

    github: EmbeddedGitHub
    seeded: Seeded
    installation: Installation

    def __init__(self, folder: Path, *, like: "Life | None" = None) -> None:
        """A new one, or a copy of one that is closed."""
        self.folder = folder
        self.settings = Settings(model="claude-opus-4.8")
        self.ahead = timedelta()
        if like is not None:
            shutil.copytree(like.folder, folder)
            # At the same address, for the run has written it down.
            self.github = EmbeddedGitHub(folder / "github", port=like.github.port).start()
            self.store = self.github.store
            self.seeded, self.installation = like.seeded, like.installation
            return
        self.github = EmbeddedGitHub(folder / "github").start()
        self.store = self.github.store
        self.seeded = seed(self.store, "maintainer", "tally")
        self.store.apps.uninstall(self.seeded.installation)
        self.installation = self.store.apps.install(self.seeded.app, self.maintainer)
        self._give()

    def _give(self) -> None:
        files = read_folder(TALLY)
        spec = spec_from_files(files, check_tests_dir=self.settings.check_tests)
        body, given = issue_of(spec, files, self.settings.check_tests)
        first = self.person.forge.first_commit("person:first", "README.md", "# Tally\n")
        self.person.git.fetch()
        self.person.git.commit(
            "main", parent=first, changes=given, message="Given", mark="person:given"
        )
        self.store.issues.create(
            self.repository, self.by, spec.title, body, labels=(self.settings.label,)
        )

    def close(self) -> None:
        self.github.stop()

    # The bot

    @cached_property
    def bot(self) -> Hub:
        key = AppKey(
            app_id=str(self.seeded.app.id),
            private_key=SecretStr(self.seeded.private_key),
            installation_id=self.installation.id,
        )
        return Hub.open(Workplace(self.folder / "bot"), self._settings(), key)

    def forget(self) -> None:
        """Another process, on another machine: its memory and its clone are gone."""
        del self.bot
        shutil.rmtree(self.folder / "bot")

    def go(self, legs: int = 1, replies: Mapping[str, Answer] = WRITTEN) -> RunState:
        """So many legs; the first of a run saves it before."""
        for _ in range(legs):
            found = find_run(1, self.bot.git)
            state, spec = found or new_run(
                1, self.settings, self.bot.forge, self.bot.git, self.clock
            )
            services = self.services(state, replies)
            if found is None:
                save(state, spec, services)
            leg(state, spec, services)
        return self.saved()

    def services(self, state: RunState, replies: Mapping[str, Answer] = WRITTEN) -> Services:
        place = Workplace(self.folder / "bot")
        return services_of(
            self.bot, place, state, ScriptedModel(replies), Silent(), clock=self.clock
        )

    def saved(self) -> RunState:
        found = find_run(1, self.bot.git)
        assert found is not None
        return found[0]

    def put(self, **changes: object) -> None:
        """Save the run with these changes, as if it had come so far by itself."""
        found = find_run(1, self.bot.git)
        assert found is not None
        state, spec = found
        changed = state.model_copy(update={**changes, "legs": state.legs + 1})
        save(changed, spec, self.services(changed))

    def clock(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    # What can be seen

    @property
    def repository(self) -> Repository:
        return self.store.repositories.get(self.seeded.repository.id)

    @property
    def issue(self) -> Issue:
        return self.store.tables.issues.find(title="Tally", is_pull=False)[0]

    @property
    def pull(self) -> Pull:
        return self.store.tables.pulls.find()[0]

    @property
    def said(self) -> str:
        """The bot's comments on the issue."""
        return "\n".join(text for author, text in self.talk(self.issue) if author.endswith("[bot]"))

    @property
    def description(self) -> str:
        return self.store.pulls.issue(self.pull).body or ""

    def talk(self, issue: Issue) -> list[tuple[str, str]]:
        """(login, body) of its comments."""
        found = self.store.issues.comments(issue)
        return [(self.store.accounts.get(c.author_id).login, c.body) for c in found]

    def subjects(self, branch: str) -> list[str]:
        """First lines of the branch's commits, the newest first."""
        return [c.message.splitlines()[0] for c in self.store.git(self.repository).log(branch)]

    # What people do

    @property
    def maintainer(self) -> Account:
        return self.seeded.maintainer

    @property
    def by(self) -> Actor:
        return Actor(self.maintainer)

    @cached_property
    def person(self) -> Hub:
        token = GivenToken(token=SecretStr(self.seeded.token))
        return Hub.open(Workplace(self.folder / "person"), self._settings(), token, MAINTAINER)

    def push(self, branch: str, files: Mapping[str, str | None], parent: str = "") -> str:
        """A commit of the maintainer's on a branch; on another `parent` than its head it is
        forced. None deletes a file."""
        git = self.person.git
        git.fetch()
        head = git.head(branch)
        assert head is not None
        if parent:
            self.move(branch, parent)
        changes = {p: None if t is None else t.encode() for p, t in files.items()}
        mark = f"person:{parent or head}:{'+'.join(files)}"
        return git.commit(
            branch, parent=parent or head, changes=changes, message="By hand", mark=mark
        )

    def move(self, branch: str, commit: str) -> None:
        """A force push."""
        git, ref = self.store.git(self.repository), f"refs/heads/{branch}"
        before = git.refs()[ref]
        git.update_ref(ref, commit, before)
        self.store.record_push(self.repository, self.by, [RefUpdate(ref, before, commit)])

    def say(self, text: str, number: int = 1) -> None:
        issue = self.store.issues.find(self.repository, number)
        assert issue is not None
        self.store.issues.comment(self.repository, issue, self.by, text)

    def edit(self, **changes: str) -> None:
        """Change title, body or state of the issue."""
        self.store.issues.edit(self.repository, self.issue, self.by, labels=None, **changes)

    def check(
        self,
        *,
        status: str = "completed",
        conclusion: str | None = None,
        report: Mapping[str, str] | None = None,
    ) -> WorkflowRun:
        """A run of the check workflow on the commit that the bot waits for, with an artifact."""
        workflow = self.store.actions.workflow(self.repository, WORKFLOW, "repowright-check")
        run = self.store.actions.create_run(
            self.repository,
            workflow,
            self.by,
            event="push",
            head_sha=self.saved().wait.commit,
            head_branch=self.saved().branch,
        )
        if report is not None:
            self.report(run, report)
        return self.store.actions.update_run(
            self.repository, run, status=status, conclusion=conclusion
        )

    def report(self, run: WorkflowRun, files: Mapping[str, str]) -> None:
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        self.store.actions.create_artifact(
            self.repository, run, "repowright-report", target.getvalue()
        )

    def label(self, *names: str) -> None:
        """Exactly these labels on the issue."""
        self.store.issues.set_labels(self.repository, self.issue, self.by, names)

    def delete_ref(self) -> None:
        self.store.git(self.repository).delete_ref(run_ref(1))

    def spoil_ref(self) -> None:
        """The run's ref leads to a commit of something else."""
        git = self.store.git(self.repository)
        git.update_ref(run_ref(1), git.refs()["refs/heads/main"], git.resolve(run_ref(1)))

    def _settings(self) -> GitHubSettings:
        return GitHubSettings(
            api_url=self.github.api_url,
            repository="maintainer/tally",
            seconds_between_writes=0.0,
            settle_seconds=0.1,
        )
