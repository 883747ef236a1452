"""A run on one machine: an embedded GitHub, a spec folder as an issue in it, the bot at work."""

import json
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from pydantic import SecretStr

from bot.base import Data, RepowrightError
from bot.checks.sandbox import make_sandbox
from bot.config import Settings
from bot.experience.adviser import Adviser
from bot.experience.store import SqlExperiences
from bot.experience.tables import FILE_NAME, address_of
from bot.forge.embedded.actions import LocalActions
from bot.forge.embedded.seed import Seeded, seed
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import AppKey, GivenToken
from bot.model.attempt import Backend
from bot.model.replay import ReplayModel
from bot.phases.record import save
from bot.phases.run import RunState
from bot.phases.services import Narrator, Services
from bot.phases.texts import page, say
from bot.ports.experience import Scope
from bot.redaction import secrets_of
from bot.runs.drive import drive
from bot.runs.start import find_run, new_run
from bot.spec.folder import spec_from_files
from bot.spec.model import Document, DocumentKind, GivenFile, Spec
from bot.wiring import MAINTAINER, Hub, Workplace, now, services_of

OWNER = "maintainer"
_ISSUE_LIMIT = 60_000
_DOCUMENTS = "docs/spec"
_FOLDER = ".repowright"
_REMEMBERED = "run.json"


class LocalRun(Data):
    """What a local run needs to be picked up again, besides the App's key. `experience` is the
    store that it learns in, a file or an address; "" is one of its own, empty at first."""

    repository: str
    issue: int
    app_id: str
    installation: int
    settings: Settings
    experience: str = ""


class LocalBox:
    """The folder `out/.repowright`: embedded GitHub, run journal, clone. A context manager that
    serves while it is open."""

    def __init__(
        self, out: Path, *, port: int = 0, unsafe: bool = False, machine: bool = False
    ) -> None:
        """`unsafe` runs generated code without a sandbox, and jobs of a `machine` are those of a
        runner; only where a person asked for it."""
        self.out = out
        self.folder = out.resolve() / _FOLDER
        sandbox = make_sandbox("none" if unsafe or machine else "bubblewrap")
        actions = LocalActions(sandbox, machine=machine)
        self.github = EmbeddedGitHub(
            self.folder / "github", port=port, actions=actions, maintainer=OWNER
        )
        self._held = ExitStack()

    def __enter__(self) -> Self:
        self.github.start()
        self._held.callback(self.github.stop)
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    @property
    def place(self) -> Workplace:
        return Workplace(self.folder / "run")

    def open_issue(
        self, files: Mapping[str, bytes], name: str, settings: Settings, experience: str = ""
    ) -> LocalRun:
        """A repository with the given files and an issue with the documents, both from the
        maintainer; the run of that issue is remembered in the folder, with the store that it
        learns in."""
        spec = spec_from_files(files, check_tests_dir=settings.check_tests)
        body, committed = issue_of(spec, files, settings.check_tests)
        seeded = seed(self.github.store, OWNER, name)
        self.push_given(seeded, spec.title, committed)
        issue = self.github.store.issues.create(
            seeded.repository,
            Actor(seeded.maintainer),
            spec.title,
            body,
            labels=(settings.label,),
        )
        run = LocalRun(
            repository=f"{OWNER}/{name}",
            issue=issue.number,
            app_id=str(seeded.app.id),
            installation=seeded.installation.id,
            settings=settings,
            experience=experience,
        )
        self.remember(run, seeded.private_key)
        return run

    def push_given(self, seeded: Seeded, title: str, files: Mapping[str, bytes | None]) -> None:
        """The maintainer's own commits, through the API and git like anybody's."""
        name = seeded.repository
        token = GivenToken(token=SecretStr(seeded.token))
        place = Workplace(self.folder / "seed")
        hub = Hub.open(place, self._github(f"{name.owner}/{name.name}"), token, MAINTAINER)
        head = hub.forge.first_commit("seed:first", "README.md", f"# {title}\n")
        if files:
            hub.git.fetch()
            hub.git.commit(
                name.default_branch,
                parent=head,
                changes=dict(files),
                message=say("commit_seed"),
                mark="seed:given",
            )
        shutil.rmtree(place.folder)

    def remember(self, run: LocalRun, key: str) -> None:
        """Keep what a later start of this box needs."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        # The address of a store may hold a password.
        self._file.touch(mode=0o600)
        self._file.write_text(run.model_dump_json(indent=1), "utf-8")
        self._key.touch(mode=0o600)
        self._key.write_text(key, "utf-8")

    def remembered(self) -> tuple[LocalRun, str]:
        """The run of this folder and the App's key; raise RepowrightError where there is none."""
        return remembered(self.out), self._key.read_text("utf-8")

    @property
    def _file(self) -> Path:
        return self.folder / _REMEMBERED

    @property
    def _key(self) -> Path:
        return self.folder / "app.pem"

    def hub(self) -> Hub:
        """The forge and git of the remembered run, as the App."""
        run, key = self.remembered()
        credentials = AppKey(
            app_id=run.app_id, private_key=SecretStr(key), installation_id=run.installation
        )
        return Hub.open(
            self.place,
            self._github(run.repository),
            credentials,
            secrets=secrets_of(os.environ),
        )

    def _github(self, repository: str) -> GitHubSettings:
        """No pacing: nobody else waits for this GitHub."""
        return GitHubSettings(
            api_url=self.github.api_url,
            repository=repository,
            seconds_between_writes=0.0,
            settle_seconds=0.2,
        )

    def go(
        self,
        backend: Backend,
        narrator: Narrator,
        *,
        wait: bool,
        legs: int | None = None,
    ) -> tuple[RunState, Services]:
        """Start the remembered run or pick it up, and drive it to its end, to a person's gate
        where `wait` is false, or for `legs` legs."""
        run, _ = self.remembered()
        hub = self.hub()
        found = find_run(run.issue, hub.git)
        state, spec = found or new_run(run.issue, run.settings, hub.forge, hub.git, now)
        adviser = self._adviser(run, backend)
        services = services_of(hub, self.place, state, backend, narrator, adviser=adviser)
        if found is None:
            # A first leg that is killed must find its branch again.
            save(state, spec, services)
        state = drive(
            state,
            spec,
            services,
            pause=time.sleep,
            interval=0.2,
            wait_for_people=wait,
            most_legs=legs,
        )
        return state, services

    def _adviser(self, run: LocalRun, backend: Backend) -> Adviser:
        """A replay must ask what was recorded, whatever this machine has learnt since: it has a
        store of its own."""
        shared = "" if isinstance(backend, ReplayModel) else run.experience
        store = SqlExperiences(address_of(shared or self.folder / FILE_NAME))
        self._held.callback(store.close)
        return Adviser(store, Scope(repository=run.repository))

    def attend(self, state: RunState, services: Services) -> RunState:
        """Hear what people have said since, and go on where they ask for it."""
        found = find_run(state.issue, services.git)
        if found is None:
            return state
        return drive(
            found[0], found[1], services, pause=time.sleep, interval=0.2, wait_for_people=True
        )

    def export(self, state: RunState, services: Services) -> None:
        """Write the delivered branch's files into the out folder, but for this box's own place:
        hooks and keys lie there, and anybody may have pushed."""
        for path, content in services.git.read(state.head).items() if state.head else ():
            if path.partition("/")[0].casefold() == self.folder.name:
                continue
            target = self.out / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def remembered(out: Path) -> LocalRun:
    """The run that a folder holds; raise RepowrightError where there is none. Writes nothing."""
    file = out / _FOLDER / _REMEMBERED
    if not file.is_file():
        raise RepowrightError(
            "there is no run in this folder",
            where=str(out),
            hint="start one with `repowright run SPEC --out DIR`",
        )
    return LocalRun.model_validate(json.loads(file.read_text("utf-8")))


def issue_of(
    spec: Spec, files: Mapping[str, bytes], check_tests: str
) -> tuple[str, dict[str, bytes]]:
    """The body of a spec issue, and the files that stand in the repository instead: check tests,
    data, and the documents where an issue cannot hold them all."""
    committed = {p: c for p, c in files.items() if p in {f.path for f in _given(spec)}}
    by_kind: dict[DocumentKind, list[Document]] = {}
    for document in spec.documents:
        by_kind.setdefault(document.kind, []).append(document)
    inline = sum(len(d.text) for d in spec.documents) <= _ISSUE_LIMIT
    if not inline:
        for document in spec.documents:
            committed[f"{_DOCUMENTS}/{document.file}"] = files[document.file]
    rest = [d for d in spec.documents if d.kind is DocumentKind.OTHER]
    body = page(
        "issue",
        prd=_text([*by_kind.get(DocumentKind.PRD, []), *rest], inline=inline),
        uml=_text(by_kind.get(DocumentKind.UML, []), inline=inline),
        architecture=_text(by_kind.get(DocumentKind.ARCHITECTURE, []), inline=inline),
        check_tests=say("issue_check_tests", folder=check_tests) if spec.check_tests else "",
        requirements="\n".join(spec.requirements),
    )
    return body, committed


def _given(spec: Spec) -> list[GivenFile]:
    return [*spec.check_tests, *spec.resources]


def _text(documents: list[Document], *, inline: bool) -> str:
    if inline:
        return "\n\n".join(d.text.strip() for d in documents)
    return "\n".join(f"[{d.file}]({_DOCUMENTS}/{d.file})" for d in documents)
