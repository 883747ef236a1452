"""The set-up as it stands: what the person chose, the App once there is one, and what was heard of
it. Shared by the set-up page and the server that goes on from it."""

import re
import secrets
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.base import Data, RepowrightError
from bot.setup.app import manifest
from bot.setup.door import Door
from bot.setup.kept import KeptApp, keep
from bot.setup.place import GitHubPlace, is_login, origin, place_of
from bot.setup.registration import Unreached, convert
from bot.setup.texts import tell

# https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app/registering-a-github-app
_LONGEST_NAME = 34
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .-]*")


class Choice(Data):
    """What the person chose: which GitHub, whose App (an organisation's, or "" for their own), its
    name, and where GitHub reaches the server."""

    place: GitHubPlace
    organisation: str
    name: str
    public: str


class Mistakes(Exception):
    """What is wrong with a form, by field."""

    def __init__(self, found: Mapping[str, str]) -> None:
        super().__init__(", ".join(found))
        self.found = dict(found)


class Desk:
    """One set-up; safe to use from many threads."""

    def __init__(self, folder: Path, now: Callable[[], datetime], fixed: str = "") -> None:
        """The App is kept in `folder`. `fixed` is the API that the settings name, "" for any."""
        self.door = Door(now)
        self.fixed = fixed
        self.suggestion = f"repowright-{secrets.token_hex(2)}"
        self.registered = threading.Event()
        self.choice: Choice | None = None
        self.app: KeptApp | None = None
        self.heard: str = ""
        self.live = False
        self._folder = folder
        self._code = ""
        self._asked = False
        self._lock = threading.Lock()

    @property
    def may_retry(self) -> bool:
        """Whether GitHub gave a code that could not be exchanged yet."""
        return bool(self._code) and self.app is None

    def choose(self, form: Mapping[str, str]) -> Choice:
        """Check a form; raise Mistakes."""
        found: dict[str, str] = {}

        def read(field: str, reader: Callable[[str], Any]) -> Any:
            try:
                return reader(form.get(field, "").strip())
            except RepowrightError as error:
                found[field] = error.what
            return None

        place = read("base", place_of) if form.get("where") == "server" else place_of("")
        if form.get("where") == "server" and not form.get("base", "").strip():
            found["base"] = tell("base_missing")
        organisation = read("organisation", _login)
        name = read("name", _app_name)
        public = read("public", origin)
        if found:
            raise Mistakes(found)
        self.choice = Choice(place=place, organisation=organisation, name=name, public=public)
        return self.choice

    def manifest(self, choice: Choice, here: str) -> Any:
        """The manifest; `here` is the base under which the person's browser reaches this page."""
        return manifest(
            name=choice.name,
            home=choice.public,
            webhook=f"{choice.public}/webhook",
            redirect=f"{here}/setup/registered",
            installed=f"{here}/setup/installed",
        )

    def register(self, code: str = "") -> KeptApp:
        """Exchange the code, or the one that could not be exchanged before, and keep the App;
        raise RepowrightError."""
        with self._lock:
            if self.app is not None:
                return self.app
            if self.choice is None:
                raise RepowrightError(tell("nothing"), hint=tell("begin_again"))
            self._code = code or self._code
            try:
                app = convert(self.choice.place, self._code)
            except Unreached:
                raise
            except RepowrightError:
                self._code = ""
                raise
            keep(self._folder, app)
            self._code = ""
            self.app = app
        self.registered.set()
        return app

    def asks_for_ping(self) -> bool:
        """True the first time: one is enough."""
        with self._lock:
            first, self._asked = not self._asked, True
            return first

    def hear(self, event: str) -> None:
        """A delivery with a good signature came in and was stored."""
        self.heard = self.heard or event


def _login(text: str) -> str:
    if text and not is_login(text):
        raise RepowrightError(tell("no_organisation"))
    return text


def _app_name(text: str) -> str:
    if not _NAME.fullmatch(text) or len(text) > _LONGEST_NAME:
        raise RepowrightError(tell("no_name", most=_LONGEST_NAME))
    return text
