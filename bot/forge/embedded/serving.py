"""Serving a WSGI application in the background, and ending that at once and completely."""

from threading import Thread
from typing import Any, Self
from wsgiref.types import WSGIApplication

from waitress.server import create_server
from waitress.wasyncore import close_all

_PATIENCE = 10


class BackgroundServer:
    """Waitress in threads of its own; `settings` are waitress's.
    https://docs.pylonsproject.org/projects/waitress/en/stable/arguments.html
    """

    def __init__(self, app: WSGIApplication, name: str, **settings: Any) -> None:
        self._channels: dict[int, Any] = {}
        self._server: Any = create_server(app, map=self._channels, **settings)
        self._thread = Thread(target=self._server.run, name=name, daemon=True)

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        """Let running requests end, drop idle connections, and wait for all threads."""
        self._server.task_dispatcher.shutdown(timeout=_PATIENCE)
        self._server.trigger.pull_trigger(self._close_channels)
        self._thread.join(timeout=_PATIENCE)

    def _close_channels(self) -> None:
        close_all(self._channels, ignore_all=True)
