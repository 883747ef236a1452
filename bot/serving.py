"""Composition of `repowright serve`: settings become a webhook endpoint and a worker."""

import errno
import fcntl
import logging
import os
import signal
import socket
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO
from uuid import uuid4

from flask import Flask

from bot.base import RepowrightError
from bot.forge.embedded.serving import BackgroundServer
from bot.model.attempt import Backend
from bot.places import GitHubPlaces, open_experiences
from bot.redaction import redact
from bot.runs.database import open_database
from bot.runs.deliveries import SqlDeliveries
from bot.runs.inbox import SqlInbox
from bot.runs.index import SqlRunIndex
from bot.runs.worker import Worker
from bot.runs.workers import SqlWorkers
from bot.serverconfig import SECRET, Secrets, ServerSettings, read_secrets
from bot.web.webhook import LARGEST_PAYLOAD, create_app, health_app
from bot.wiring import backend_of, now

_log = logging.getLogger("repowright.serve")

_WEB_THREADS = 8
_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


class Server:
    """The bot as a server between `start` and `stop`, also a context manager: it answers webhooks
    unless it is not `receiving`, and works unless `threads` is 0. Raise RepowrightError where
    something is missing or in the way."""

    def __init__(
        self,
        settings: ServerSettings,
        environ: Mapping[str, str],
        backend: Backend | None = None,
        *,
        receiving: bool = True,
    ) -> None:
        """`backend` stands in for the one that the settings name."""
        self.secrets = read_secrets(settings, environ)
        if receiving and not self.secrets.webhook.get_secret_value():
            raise RepowrightError(
                "there is no webhook secret",
                hint=f"set {SECRET} to the secret that GitHub signs deliveries with",
            )
        model = backend or backend_of(settings.backend, settings.run, environ)
        with ExitStack() as held:
            held.enter_context(_claim_folder(settings.data))
            places = GitHubPlaces(settings, self.secrets, model, open_experiences(settings, held))
            listening = held.enter_context(_listen(settings.host, settings.port))
            engine = open_database(settings.database_address)
            held.callback(engine.dispose)
            deliveries = SqlDeliveries(engine)
            self.worker = Worker(
                settings.worker(_session(settings.data)),
                deliveries,
                SqlInbox(engine),
                SqlRunIndex(engine),
                SqlWorkers(engine),
                places,
                now,
            )
            app = health_app(self.worker.health)
            if receiving:
                app = create_app(
                    self.secrets.webhook,
                    deliveries,
                    now,
                    stored=self.worker.wake,
                    health=self.worker.health,
                )
            self._web = _web_server(app, listening)
            host, port = listening.getsockname()[:2]
            self._held = held.pop_all()
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._running = False

    def start(self) -> Self:
        try:
            self.worker.start()
        except RepowrightError:
            self._held.close()
            raise
        self._web.start()
        self._running = True
        return self

    def stop(self) -> None:
        """Return when the current legs have ended; deliveries are taken until then."""
        if self._running:
            self.worker.stop()
            self._web.stop()
        self._running = False
        self._held.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _web_server(app: Flask, listening: socket.socket) -> BackgroundServer:
    return BackgroundServer(
        app,
        "repowright-web",
        sockets=[listening],
        threads=_WEB_THREADS,
        ident="repowright",
        max_request_body_size=LARGEST_PAYLOAD + 1,
        clear_untrusted_proxy_headers=True,
    )


def serve(settings: ServerSettings, environ: Mapping[str, str], *, receiving: bool = True) -> None:
    """Serve until SIGINT or SIGTERM; then end the current legs. A second signal ends at once,
    which loses nothing: the next start goes on."""
    server = Server(settings, environ, receiving=receiving)
    _log_to_stderr(server.secrets)
    stop = threading.Event()

    def on_signal(*_: object) -> None:
        if stop.is_set():
            os._exit(1)
        stop.set()

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, on_signal)
    with server:
        place = f"{server.url}/webhook" if receiving else server.url
        _log.info("listening at %s, data in %s", place, settings.data)
        stop.wait()
        _log.info("stopping after the current legs; a second signal stops at once")


class _SafeFormatter(logging.Formatter):
    """Leaves out secrets, in tracebacks too."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        super().__init__(_FORMAT)
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record), self._secrets)


def _log_to_stderr(secrets: Secrets) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_SafeFormatter(secrets.all()))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("waitress").setLevel(logging.WARNING)
    logging.getLogger("httpx2").setLevel(logging.WARNING)


def _session(folder: Path) -> str:
    """The name of what this folder's processes, one after another, do on a database."""
    file = folder / "session"
    if not file.is_file():
        file.write_text(uuid4().hex)
    return file.read_text().strip()


def _claim_folder(folder: Path) -> TextIO:
    """Two servers on one folder would work the same runs twice."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        claim = (folder / "serve.lock").open("w")
    except OSError as error:
        raise RepowrightError(
            f"the data folder cannot be written: {error.strerror}",
            where=str(folder),
            hint="set `data` to a folder of the bot's own",
        ) from error
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        claim.close()
        raise RepowrightError(
            "another server uses this data folder",
            where=str(folder),
            hint="stop it, or set `data` to another folder",
        ) from error
    return claim


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        busy = error.errno == errno.EADDRINUSE
        raise RepowrightError(
            f"port {port} is in use" if busy else f"cannot listen: {error.strerror}",
            where=f"{host}:{port}",
            hint="stop what listens there, or set `host` and `port`; port 0 takes a free one",
        ) from error
