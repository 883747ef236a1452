"""A server without credentials: it shows the set-up page until its GitHub App is registered, and
then goes on as the real one."""

import socket
import sys
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Self
from wsgiref.types import WSGIApplication

from bot.forge.embedded.serving import BackgroundServer
from bot.serverconfig import TOKEN, ServerSettings, with_kept_app
from bot.setup.desk import Desk
from bot.setup.hook import look_at_github
from bot.setup.place import is_loopback
from bot.setup.texts import tell
from bot.web.setup import beside, create_setup_app
from bot.web.webhook import LARGEST_PAYLOAD
from bot.wiring import now

_THREADS = 4
_LOOK_SECONDS = 0.5


def lacks_credentials(settings: ServerSettings, environ: Mapping[str, str]) -> bool:
    """Whether nobody said who the server is on GitHub."""
    return not (settings.app_id or environ.get(TOKEN, "").strip())


class FirstStart:
    """The set-up page on a socket that the real server shares later: what serves the page goes on
    with the server's application, so that no connection is lost in between. A context manager."""

    def __init__(self, settings: ServerSettings, listening: socket.socket) -> None:
        """`listening` stays the caller's to close."""
        self._settings = settings
        fixed = "" if settings.names_github_com else settings.api_url
        self.desk = Desk(settings.data, now, fixed)
        self._pages = create_setup_app(self.desk, look_at_github)
        self._application: WSGIApplication = self._pages
        self._listening = listening
        self._web = BackgroundServer(
            lambda environ, start: self._application(environ, start),
            "repowright-setup",
            sockets=[listening.dup()],
            threads=_THREADS,
            ident="repowright",
            max_request_body_size=LARGEST_PAYLOAD + 1,
            clear_untrusted_proxy_headers=True,
        )

    def __enter__(self) -> Self:
        self._web.start()
        self._announce()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._web.stop()

    @property
    def url(self) -> str:
        """The page with the code that opens it: a secret."""
        host, port = self._listening.getsockname()[:2]
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104
        shown = f"[{shown}]" if ":" in shown else shown
        return f"http://{shown}:{port}/setup?code={self.desk.door.code}"

    def until_registered(self, stop: threading.Event) -> ServerSettings | None:
        """The settings with the App's, once it is registered; None where `stop` came first."""
        while not self.desk.registered.wait(_LOOK_SECONDS):
            if stop.is_set():
                return None
        return with_kept_app(self._settings, {})

    def front(self, server: WSGIApplication) -> WSGIApplication:
        """The real server's application with the last steps of the set-up still at /setup; from now
        on it is what is served."""
        self._application = beside(self._pages, server, self.desk)
        return self._application

    def _announce(self) -> None:
        """Printed past the log, which takes secrets out."""
        host, port = self._listening.getsockname()[:2]
        key = "announce" if is_loopback(host) else "announce_open"
        print(tell(key, url=self.url, port=port), file=sys.stderr, flush=True)
