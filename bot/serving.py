"""Composition of `repowright serve`: settings become a webhook endpoint and a worker."""

import errno
import fcntl
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO
from uuid import uuid4
from wsgiref.types import WSGIApplication

from bot.base import RepowrightError
from bot.firststart import FirstStart, lacks_credentials
from bot.forge.embedded.serving import BackgroundServer
from bot.logs import log_to_stderr
from bot.model.attempt import Backend
from bot.places import GitHubPlaces, open_experiences
from bot.redaction import redact
from bot.runs.calls import SqlCalls, forget_calls
from bot.runs.database import open_database
from bot.runs.deliveries import SqlDeliveries
from bot.runs.inbox import SqlInbox
from bot.runs.index import SqlRunIndex
from bot.runs.starts import SqlStarts
from bot.runs.worker import Worker
from bot.runs.workers import SqlWorkers
from bot.runs.writes import SqlWrites
from bot.serverconfig import SECRET, ServerSettings, read_secrets
from bot.web.metrics import PrometheusMeter, metrics_app
from bot.web.webhook import LARGEST_PAYLOAD, create_app, health_app
from bot.wiring import backend_of, now

_log = logging.getLogger("repowright.serve")

_WEB_THREADS = 8


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
        listening: socket.socket | None = None,
        front: Callable[[WSGIApplication], WSGIApplication] | None = None,
    ) -> None:
        """`backend` stands in for the one that the settings name, `listening` for a socket of the
        server's own; `front` stands before its application."""
        self.secrets = read_secrets(settings, environ)
        if receiving and not self.secrets.webhook.get_secret_value():
            raise RepowrightError(
                "there is no webhook secret",
                hint=f"set {SECRET} to the secret that GitHub signs deliveries with",
            )
        model = backend or backend_of(settings.backend, settings.run, environ)
        meter = PrometheusMeter()
        with ExitStack() as held:
            held.enter_context(_claim_folder(settings.data))
            listening = listening or held.enter_context(_listen(settings.host, settings.port))
            engine = open_database(settings.database_address)
            held.callback(engine.dispose)
            places = GitHubPlaces(
                settings,
                self.secrets,
                model,
                open_experiences(settings, held),
                meter,
                partial(SqlCalls, engine, now),
                partial(SqlWrites, engine) if engine.dialect.name == "postgresql" else None,
            )
            deliveries = SqlDeliveries(engine)
            self.worker = Worker(
                settings.worker(_session(settings.data)),
                deliveries,
                SqlInbox(engine),
                SqlRunIndex(engine),
                SqlWorkers(engine),
                places,
                now,
                meter,
                SqlStarts(engine, now),
                partial(forget_calls, engine),
            )
            app = health_app(self.worker.health)
            if receiving:
                app = create_app(
                    self.secrets.webhook,
                    deliveries,
                    now,
                    stored=self.worker.wake,
                    health=self.worker.health,
                    meter=meter,
                )
            self._web = [_web_server(front(app) if front else app, listening)]
            self.metrics_url = ""
            if settings.metrics_port is not None:
                shown = held.enter_context(_listen(settings.metrics_host, settings.metrics_port))
                metrics = metrics_app(meter, deliveries, self.worker.health, now)
                self._web.append(_web_server(metrics, shown, threads=1))
                self.metrics_url = f"{_url(shown)}/metrics"
            self.url = _url(listening)
            self.place = f"{self.url}/webhook" if receiving else self.url
            self._held = held.pop_all()
        self._running = False

    def start(self) -> Self:
        with ExitStack() as undoing:
            undoing.callback(self._held.close)
            self.worker.start()
            undoing.pop_all()
        for web in self._web:
            web.start()
        self._running = True
        return self

    def stop(self) -> None:
        """Return when the current legs have ended; deliveries are taken until then."""
        if self._running:
            self.worker.stop()
            for web in self._web:
                web.stop()
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


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _web_server(
    app: WSGIApplication, listening: socket.socket, *, threads: int = _WEB_THREADS
) -> BackgroundServer:
    return BackgroundServer(
        app,
        "repowright-web",
        sockets=[listening],
        threads=threads,
        ident="repowright",
        max_request_body_size=LARGEST_PAYLOAD + 1,
        clear_untrusted_proxy_headers=True,
    )


def serve(settings: ServerSettings, environ: Mapping[str, str], *, receiving: bool = True) -> None:
    """Serve until SIGINT or SIGTERM; then end the current legs. A second signal ends at once,
    which loses nothing: the next start goes on. Without credentials the set-up page comes first."""
    stop = _stop_on_signals()
    if not (receiving and lacks_credentials(settings, environ)):
        _serve_until(stop, settings, Server(settings, environ, receiving=receiving))
        return
    # What is wrong with the rest of the settings is said before the set-up, not after it.
    backend_of(settings.backend, settings.run, environ)
    with (
        _listen(settings.host, settings.port) as listening,
        FirstStart(settings, listening) as first,
    ):
        registered = first.until_registered(stop)
        if registered is not None:
            server = Server(registered, environ, listening=listening, front=first.front)
            _serve_until(stop, registered, server)


def answer_between_legs() -> None:
    """Have threads of this process that compute give way to others that wait after a tenth of a
    millisecond, not after five: a delivery is answered by several threads in turn, and each would
    wait that long for each leg that runs."""
    sys.setswitchinterval(0.0001)


def _serve_until(stop: threading.Event, settings: ServerSettings, server: Server) -> None:
    log_to_stderr(settings.log_format, partial(redact, secrets=server.secrets.all()))
    answer_between_legs()
    with server:
        _log.info("listening at %s, data in %s", server.place, settings.data)
        if server.metrics_url:
            _log.info("metrics at %s", server.metrics_url)
        stop.wait()
        _log.info("stopping after the current legs; a second signal stops at once")


def _stop_on_signals() -> threading.Event:
    stop = threading.Event()

    def on_signal(*_: object) -> None:
        if stop.is_set():
            os._exit(1)
        stop.set()

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, on_signal)
    return stop


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
