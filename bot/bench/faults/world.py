"""One embedded GitHub with one project, a proxy in front of it, and the bot's process."""

import multiprocessing
from base64 import b64encode
from contextlib import ExitStack
from datetime import datetime, timedelta
from enum import StrEnum
from importlib import resources
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Self

import requests
from pydantic import SecretStr

from bot.bench.faults.checks import told_actions
from bot.bench.faults.kinds import STALLS, Strike
from bot.bench.faults.player import ENDED, ISSUE, Seat, WorldClock, play
from bot.bench.faults.project import issue
from bot.bench.faults.proxy import FaultProxy
from bot.config import Settings
from bot.forge.embedded.seed import APP_EVENTS, APP_PERMISSIONS
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import Repository
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import AppKey, Credentials, GivenToken
from bot.wiring import now

OWNER, STRANGER, NAME = "ann", "eve", "parts"
MOST_STARTS = 12
STALL_TIMEOUT = 2
"""Seconds that the client waits where a request stalls, instead of 30; git waits as long."""

_WORKFLOW = "repowright-check.yml"
_TIMEOUT = 30
_LATE_BY = 0.4
_SETTLE = 0.1
_SETTLE_STALLED = 1.0
_SAID = ("/repowright budget +1usd", "/repowright help", "/repowright dance")
_MOST_SECONDS = 180.0


class Story(StrEnum):
    """Who the bot is: an App; a workflow's token, whose pushes start no workflow, so that the bot
    dispatches it; a person's token, which may publish statuses alone."""

    APP = "app"
    WORKFLOW = "workflow"
    PERSON = "person"


class World:
    """A context manager; `played` drives the bot to the run's end, through kills and errors."""

    def __init__(
        self,
        folder: Path,
        story: Story,
        credentials: Credentials | None = None,
        strike: Strike | None = None,
    ) -> None:
        """A folder that holds a world is gone on with; `credentials` are the bot's in it."""
        self.folder = folder
        self.story = story
        self._credentials = credentials
        stalls = strike is not None and strike.kind in STALLS
        self._timeout = STALL_TIMEOUT if stalls else _TIMEOUT
        self._settle = _SETTLE_STALLED if stalls else _SETTLE
        self.proxy = FaultProxy(
            stall=STALL_TIMEOUT + _LATE_BY, kill=self._kill, expire=self._expire, strike=strike
        )
        self.github = EmbeddedGitHub(
            folder / "github", actions=told_actions(), address=self.proxy.url
        )
        self.proxy.target = ("127.0.0.1", self.github.port)
        self.store = self.github.store
        self.starts = 0
        self._clock = self._clock_going_on()
        self._held = ExitStack()
        self._process: ForkServerProcess | None = None

    def __enter__(self) -> Self:
        self.github.start()
        self._held.callback(self.github.stop)
        self.proxy.start()
        self._held.callback(self.proxy.stop)
        if self._credentials is None:
            self.credentials = self._settled()
            self._begin()
        else:
            self.credentials = self._credentials
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()
        self._clock_file.write_text(self._clock().isoformat(), "utf-8")
        self._held.close()

    @property
    def repository(self) -> Repository:
        return self.store.repositories.all()[0]

    @property
    def asked(self) -> Path:
        return self.folder / "asked"

    def played(self, legs: int | None = None) -> bool:
        """Start the bot until it says that the run has ended, or that it has gone so many `legs`;
        False where it never does."""
        while self.starts < MOST_STARTS:
            self.starts += 1
            if self._once(legs) == ENDED:
                return True
        return False

    @property
    def _clock_file(self) -> Path:
        return self.folder / "clock"

    @property
    def settings(self) -> Settings:
        """A workflow that no push starts is started soon."""
        soon = {"dispatch_seconds": 1.0} if self.story is Story.WORKFLOW else {}
        return Settings.model_validate({"model": "claude-opus-4.8", "checks": soon})

    def _clock_going_on(self) -> WorldClock:
        file, began = self._clock_file, now()
        showed = datetime.fromisoformat(file.read_text("utf-8")) if file.exists() else began
        return WorldClock(began=began, showed=showed)

    def _once(self, legs: int | None) -> int | None:
        seat = Seat(
            github=GitHubSettings(
                api_url=f"{self.proxy.url}/api/v3",
                repository=f"{OWNER}/{NAME}",
                timeout=self._timeout,
                seconds_between_writes=0.0,
                settle_seconds=self._settle,
            ),
            credentials=self.credentials,
            folder=self.folder / "bot",
            asked=self.asked,
            proxy=self.proxy.url,
            clock=self._clock,
            settings=self.settings,
            legs=legs,
        )
        self._process = multiprocessing.get_context("forkserver").Process(target=play, args=(seat,))
        self._process.start()
        self._process.join(_MOST_SECONDS)
        code = self._process.exitcode
        if code is None:
            self._kill()
        return code

    def _kill(self) -> None:
        if self._process is not None and self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _expire(self) -> None:
        """Every installation token that is known so far has seen its hour pass."""
        past = self.store.now() - timedelta(seconds=1)
        for token in self.store.tables.tokens.find(kind="installation"):
            self.store.tables.tokens.update(token, expires_at=past)

    def _begin(self) -> None:
        """The issue, and what people said on it before the bot saw it."""
        self.open_issue()
        for text in _SAID:
            self.say(OWNER, text)
        self.say(STRANGER, "/repowright cancel")

    def open_issue(self) -> None:
        ann = Actor(self.store.accounts.by_login(OWNER))
        title, body = issue()
        self.store.issues.create(self.repository, ann, title, body, labels=("repowright",))

    def say(self, login: str, text: str) -> None:
        """A comment on the issue; nothing where there is none yet."""
        found = self.store.issues.find(self.repository, ISSUE)
        if found is not None:
            by = Actor(self.store.accounts.by_login(login))
            self.store.issues.comment(self.repository, found, by, text)

    def _give_workflow(self, token: str) -> None:
        """A workflow's token may not add the check workflow, so Ann does."""
        text = resources.files("bot.forge.workflows").joinpath(_WORKFLOW).read_bytes()
        path = f"repos/{OWNER}/{NAME}/contents/.github/workflows/{_WORKFLOW}"
        answer = requests.put(
            f"http://127.0.0.1:{self.github.port}/api/v3/{path}",
            json={"message": "Add the check workflow", "content": b64encode(text).decode()},
            headers={"Authorization": f"token {token}"},
            timeout=_TIMEOUT,
        )
        answer.raise_for_status()

    def _settled(self) -> Credentials:
        """Ann, Eve, Ann's empty repository, the App on it."""
        store = self.store
        ann = store.accounts.create(OWNER)
        store.accounts.create(STRANGER)
        repository = store.repositories.create(ann, NAME, Actor(ann))
        app, key = store.apps.create(
            "repowright", ann, permissions=APP_PERMISSIONS, events=APP_EVENTS
        )
        installation = store.apps.install(app, ann)
        if self.story is Story.PERSON:
            bot = store.accounts.create("rita")
            store.repositories.add_collaborator(repository, bot, "push")
            return GivenToken(token=SecretStr(store.tokens.create_personal(bot)))
        if self.story is Story.WORKFLOW:
            self._give_workflow(store.tokens.create_personal(ann))
            store.tables.repositories.update(repository, actions_may_approve=True)
            return GivenToken(token=SecretStr(store.tokens.create_workflow(repository, 0)))
        return AppKey(
            app_id=str(app.id), private_key=SecretStr(key), installation_id=installation.id
        )
