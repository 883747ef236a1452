"""A server without credentials: it shows the set-up page until its GitHub App is registered, and
then goes on with the same socket as the real one."""

import logging
import socket
import sys
import threading
from collections.abc import Mapping
from wsgiref.types import WSGIApplication

from bot.forge.embedded.serving import BackgroundServer
from bot.serverconfig import TOKEN, ServerSettings, with_kept_app
from bot.setup.desk import Desk
from bot.setup.hook import look_at_github
from bot.setup.place import is_loopback
from bot.setup.texts import tell
from bot.web.setup import beside, create_setup_app
from bot.wiring import now

_log = logging.getLogger("repowright.setup")

_THREADS = 4
_LARGEST_BODY = 64 * 1024
_LOOK_SECONDS = 0.5


def lacks_credentials(settings: ServerSettings, environ: Mapping[str, str]) -> bool:
    """Whether nobody said who the server is on GitHub."""
    return not (settings.app_id or environ.get(TOKEN, "").strip())


class FirstStart:
    """The set-up page on a socket that the real server takes over."""

    def __init__(self, settings: ServerSettings, listening: socket.socket) -> None:
        """`listening` stays the caller's to close."""
        self._settings = settings
        fixed = "" if settings.names_github_com else settings.api_url
        self.desk = Desk(settings.data, now, fixed)
        self._pages = create_setup_app(self.desk, look_at_github)
        self._listening = listening

    @property
    def url(self) -> str:
        """The page with the code that opens it: a secret."""
        host, port = self._listening.getsockname()[:2]
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104
        shown = f"[{shown}]" if ":" in shown else shown
        return f"http://{shown}:{port}/setup?code={self.desk.door.code}"

    def until_registered(self, stop: threading.Event) -> ServerSettings | None:
        """Serve the page; return the settings with the App's, None where `stop` came first.
        Connections that come in after that wait for the next server on the socket."""
        web = BackgroundServer(
            self._pages,
            "repowright-setup",
            sockets=[self._listening.dup()],
            threads=_THREADS,
            ident="repowright",
            max_request_body_size=_LARGEST_BODY,
            clear_untrusted_proxy_headers=True,
        )
        web.start()
        self._announce()
        try:
            while not self.desk.registered.wait(_LOOK_SECONDS):
                if stop.is_set():
                    return None
        finally:
            web.stop()
        _log.info("the GitHub App is registered; going on as the server")
        return with_kept_app(self._settings, {})

    def beside(self, server: WSGIApplication) -> WSGIApplication:
        """The real server's application, with the last steps of the set-up still at /setup."""
        return beside(self._pages, server, self.desk)

    def _announce(self) -> None:
        """Printed past the log, which takes secrets out."""
        host, port = self._listening.getsockname()[:2]
        key = "announce" if is_loopback(host) else "announce_open"
        print(tell(key, url=self.url, port=port), file=sys.stderr, flush=True)
