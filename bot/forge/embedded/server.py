"""The embedded GitHub as one object: a data folder, a port, and everything served on it."""

import errno
import socket
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from flask import Flask

from bot.base import RepowrightError
from bot.forge.embedded.app import create_app
from bot.forge.embedded.clients.door import ClientDoor
from bot.forge.embedded.git.process import require_git
from bot.forge.embedded.limits import Limits
from bot.forge.embedded.serving import BackgroundServer
from bot.forge.embedded.shapes.base import Shapes
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.core import Clock, system_clock
from bot.forge.embedded.store.rows import WorkflowRun
from bot.forge.embedded.webhooks import Webhooks

THREADS = 32
_CONNECTIONS = 2_000


class ActionsRunner(Protocol):
    """Runs workflows. `start` is where it subscribes to `github.store.bus`."""

    def start(self, github: "EmbeddedGitHub") -> None: ...

    def stop(self) -> None: ...

    def rerun(self, run: WorkflowRun, *, failed_only: bool) -> None:
        """Run a queued run's next attempt."""
        ...

    def cancel(self, run: WorkflowRun) -> None: ...


class EmbeddedGitHub:
    """A GitHub for one machine.

    `port` 0 takes a free one. `start` serves in background threads; `stop` ends them. Also a
    context manager. Whoever opens its pages on this machine acts as the login `maintainer`;
    without one they are read-only.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        port: int = 0,
        host: str = "127.0.0.1",
        clock: Clock = system_clock,
        actions: ActionsRunner | None = None,
        limits: Limits | None = None,
        maintainer: str | None = None,
        address: str = "",
    ) -> None:
        """`address` is the URL under which it is known where a proxy stands in front of it."""
        require_git()
        self._host = host
        self._socket = _bind(host, port)
        self._actions = actions
        self._running = False
        self.port: int = self._socket.getsockname()[1]
        self.url = address or f"http://{host}:{self.port}"
        self.api_url = f"{self.url}/api/v3"
        self.graphql_url = f"{self.url}/api/graphql"
        with ExitStack() as undo:
            undo.callback(self._socket.close)
            self.store = Store(data_dir, clock)
            undo.pop_all()
        self.shapes = Shapes(self.store, self.url)
        self.webhooks = Webhooks(self.store, self.shapes)
        self.app: Flask = create_app(
            self.shapes, self.webhooks, actions, limits or Limits(), maintainer=maintainer
        )
        self.clients = ClientDoor(self.app, self.store, self.url, data_dir / "clients")

    def start(self) -> Self:
        self._server = BackgroundServer(
            self.app,
            "embedded-github",
            sockets=[self._socket],
            threads=THREADS,
            channel_timeout=300,
            # Clients keep connections; select() would end at 1,024 of them.
            connection_limit=_CONNECTIONS,
            asyncore_use_poll=True,
            max_request_body_size=1 << 31,
            clear_untrusted_proxy_headers=True,
        )
        self._server.start()
        self._running = True
        self.clients.start()
        self.webhooks.start()
        if self._actions is not None:
            self._actions.start(self)
        return self

    def stop(self) -> None:
        if not self._running:
            self._socket.close()
            self.store.close()
            return
        self._running = False
        if self._actions is not None:
            self._actions.stop()
        self.webhooks.stop()
        self.clients.stop()
        self._server.stop()
        self.store.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _bind(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise RepowrightError(
                f"port {port} is in use",
                where=f"{host}:{port}",
                hint="stop what listens there, or choose another port; 0 takes a free one",
            ) from error
        raise RepowrightError(
            f"cannot listen: {error.strerror}",
            where=f"{host}:{port}",
            hint="choose another host or port",
        ) from error
    return listener
