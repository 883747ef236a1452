"""A world whose bot is a server: deliveries set it to work, and its process is started again
whenever it is gone."""

import multiprocessing
import socket
import time
from collections.abc import Callable
from pathlib import Path

import requests

from bot.bench.faults.ending import run_state
from bot.bench.faults.kinds import Post, Strike
from bot.bench.faults.player import ISSUE, ServerSeat, attend
from bot.bench.faults.postman import Postman
from bot.bench.faults.world import MOST_STARTS, OWNER, STRANGER, Story, World
from bot.forge.github.credentials import AppKey, Credentials
from bot.runs.start import is_over, run_ref
from bot.serverconfig import ServerSettings

_SECRET = "what only GitHub and the bot know"  # noqa: S105
_MOST_SECONDS = 240.0
_LOOK = 0.1
_ANSWERS = 2
_SWEEP_MINUTES = 0.1


class ServedWorld(World):
    """`played` starts the server, then has Ann open the issue, and, when the run has ended, has
    Ann and Eve say something more, to see that all of it is heard, once."""

    def __init__(
        self,
        folder: Path,
        post: Post = Post.AT_ONCE,
        strike: Strike | None = None,
        *,
        first: int = 0,
    ) -> None:
        self._port = _free_port()
        self.postman = Postman(post, f"http://127.0.0.1:{self._port}", first=first)
        super().__init__(folder, Story.APP, strike=strike)

    def _settled(self) -> Credentials:
        self.postman.start()
        self._held.callback(self.postman.stop)
        credentials = super()._settled()
        app = self.store.apps.find("repowright")
        if app is None or not isinstance(credentials, AppKey):
            raise ValueError("this story is told by an App")
        self.store.hooks.create(
            f"{self.postman.url}/webhook", app=app, events=("*",), secret=_SECRET
        )
        key = self.folder / "app.pem"
        key.write_text(credentials.private_key.get_secret_value(), "utf-8")
        self._server = ServerSettings(
            api_url=f"{self.proxy.url}/api/v3",
            app_id=credentials.app_id,
            private_key_path=key,
            data=self.folder / "bot",
            port=self._port,
            poll_seconds=1.0,
            pulse_seconds=0.05,
            sweep_minutes=_SWEEP_MINUTES,
            seconds_between_writes=0.0,
            settle_seconds=self._settle,
            run=self.settings,
        )
        return credentials

    def _begin(self) -> None:
        """Ann waits until there is a server."""

    def played(self, legs: int | None = None) -> bool:
        """Whether the run has ended, and everything that was said after it was answered."""
        self._serve()
        self.open_issue()
        if not self._until(self._is_over):
            return False
        self.say(OWNER, "/repowright help")
        self.say(STRANGER, "/repowright run")
        said = self._until(lambda: self.store.tables.reactions.count() >= _ANSWERS)
        return said and self._until(self._is_idle)

    def _until(self, holds: Callable[[], bool]) -> bool:
        """Wait for something, with the server started again whenever it is gone."""
        deadline = time.monotonic() + _MOST_SECONDS
        while not holds():
            if time.monotonic() > deadline or self.starts >= MOST_STARTS:
                return False
            if self._process is None or not self._process.is_alive():
                self._serve()
            time.sleep(_LOOK)
        return True

    def _serve(self) -> None:
        self.starts += 1
        seat = ServerSeat(
            settings=self._server, secret=_SECRET, asked=self.asked, proxy=self.proxy.url
        )
        context = multiprocessing.get_context("forkserver")
        self._process = context.Process(target=attend, args=(seat,))
        self._process.start()

    def _is_over(self) -> bool:
        state = run_state(self.store, self.repository, run_ref(ISSUE))
        return state is not None and is_over(state) and self._is_idle()

    def _is_idle(self) -> bool:
        if self.store.hooks.pending() or not self.postman.idle:
            return False
        try:
            ready = requests.get(f"http://127.0.0.1:{self._port}/readyz", timeout=5)
        except requests.RequestException:
            return False
        found = ready.json()
        return ready.ok and found["deliveries"] == found["tasks"] == 0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port
