"""Composition of `repowright serve`: settings become a webhook endpoint and a worker."""

import errno
import fcntl
import logging
import os
import re
import signal
import socket
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from flask import Flask

from bot.base import RepowrightError
from bot.experience.adviser import Adviser
from bot.experience.store import SqlExperiences
from bot.experience.tables import FILE_NAME, OFF, address_of
from bot.forge.embedded.serving import BackgroundServer
from bot.forge.github.client import pacer_for
from bot.forge.github.credentials import AppKey
from bot.forge.github.pace import Pacer
from bot.forge.github.scout import AppReach, NamedReach
from bot.model.attempt import Backend
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.ports.experience import ExperienceStore, Scope
from bot.ports.scout import Reach
from bot.redaction import redact
from bot.runs.deliveries import SqlDeliveries
from bot.runs.index import SqlRunIndex
from bot.runs.place import NotServed, Place
from bot.runs.queue import SqlQueue
from bot.runs.tables import open_database
from bot.runs.worker import Worker
from bot.serverconfig import SECRET, Secrets, ServerSettings, credentials_of, read_secrets
from bot.web.webhook import LARGEST_PAYLOAD, create_app
from bot.wiring import Hub, Workplace, backend_of, now, services_of

_log = logging.getLogger("repowright.serve")

_RUN_ID = re.compile(r"rw\d{1,9}-[0-9a-f]{10}")
_WEB_THREADS = 8
_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


class LogNarrator:
    """Tells the log what happens in the runs."""

    def tell(self, state: RunState, text: str) -> None:
        logging.getLogger("repowright.run").info(
            "%s#%d %s %d: %s",
            state.repository,
            state.issue,
            state.phase.value,
            state.iteration,
            text,
        )


class GitHubPlaces:
    """The repositories of the server's credential, each opened once and kept open."""

    def __init__(
        self,
        settings: ServerSettings,
        secrets: Secrets,
        backend: Backend,
        experiences: ExperienceStore | None,
    ) -> None:
        """Without a store of experiences nothing is learnt."""
        self._settings = settings
        self._experiences = experiences
        self._secrets = secrets
        self._backend = backend
        self._narrator = LogNarrator()
        self._reach = reach_of(settings, secrets)
        self._named = {name.lower() for name in settings.repositories}
        self._lock = threading.Lock()
        self._hubs: dict[tuple[str, int], Hub] = {}
        self._pacers: dict[int, Pacer] = {}

    def all(self) -> tuple[tuple[str, int], ...]:
        found = self._reach.repositories()
        return tuple(pair for pair in found if self._serves(pair[0]))

    def open(self, repository: str, installation: int) -> Place:
        if not self._serves(repository):
            raise NotServed(
                "the repository is none of those in the settings",
                where=repository,
                hint="add it to `repositories`, or remove its webhook",
            )
        if not installation:
            installation = self._reach.installation(repository)
        hub = self._hub(repository.lower(), installation)
        return Place(
            repository=repository,
            settings=self._settings.run,
            forge=hub.forge,
            git=hub.git,
            scout=hub.scout,
            services=partial(
                self._services,
                hub,
                self._folder(repository),
                Scope(installation=installation, repository=repository),
            ),
        )

    def _serves(self, repository: str) -> bool:
        return not self._named or repository.lower() in self._named

    def _folder(self, repository: str) -> Path:
        return self._settings.data / "repositories" / repository.lower().replace("/", "+")

    def _hub(self, repository: str, installation: int) -> Hub:
        with self._lock:
            known = self._hubs.get((repository, installation))
            if known is not None:
                return known
            github = self._settings.github(repository)
            hub = Hub.open(
                Workplace(self._folder(repository)),
                github,
                credentials_of(self._settings, self._secrets, installation),
                pacer=self._pacers.setdefault(installation, pacer_for(github)),
                secrets=self._secrets.all(),
            )
            self._hubs[repository, installation] = hub
            return hub

    def _services(self, hub: Hub, folder: Path, scope: Scope, state: RunState) -> Services:
        """The state comes from a ref that everyone with write permission can push."""
        if not _RUN_ID.fullmatch(state.run_id):
            raise RepowrightError("the run's id is none of ours", where=state.ref)
        place = Workplace(folder / state.run_id)
        adviser = Adviser(self._experiences, scope) if self._experiences is not None else None
        return services_of(hub, place, state, self._backend, self._narrator, adviser=adviser)


def _experiences(settings: ServerSettings, held: ExitStack) -> ExperienceStore | None:
    """The store for all repositories, open; raise StoreUnavailable where it cannot be used."""
    if settings.experience == OFF:
        return None
    store = SqlExperiences(address_of(settings.experience or settings.data / FILE_NAME))
    held.callback(store.close)
    return store.open()


def reach_of(settings: ServerSettings, secrets: Secrets) -> Reach:
    """Raise RepowrightError where the credentials are missing or cannot be used."""
    credentials = credentials_of(settings, secrets, 0)
    if isinstance(credentials, AppKey):
        return AppReach(settings.github("app/app"), credentials)
    return NamedReach(settings.repositories)


class Server:
    """The bot as a server: answers webhooks and works between `start` and `stop`; also a context
    manager. Raise RepowrightError where something is missing or in the way."""

    def __init__(
        self, settings: ServerSettings, environ: Mapping[str, str], backend: Backend | None = None
    ) -> None:
        """`backend` stands in for the one that the settings name."""
        secrets = read_secrets(settings, environ)
        if not secrets.webhook.get_secret_value():
            raise RepowrightError(
                "there is no webhook secret",
                hint=f"set {SECRET} to the secret that GitHub signs deliveries with",
            )
        self.secrets = secrets
        model = backend or backend_of(settings.backend, settings.run, environ)
        with ExitStack() as held:
            held.enter_context(_claim_folder(settings.data))
            places = GitHubPlaces(settings, secrets, model, _experiences(settings, held))
            listening = held.enter_context(_listen(settings.host, settings.port))
            engine = open_database(settings.data / "repowright.sqlite3")
            held.callback(engine.dispose)
            deliveries = SqlDeliveries(engine)
            self.worker = Worker(
                settings.worker,
                deliveries,
                SqlQueue(engine),
                SqlRunIndex(engine),
                places,
                now,
            )
            app = create_app(
                secrets.webhook,
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
        self._running = True
        self.worker.start()
        self._web.start()
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


def serve(settings: ServerSettings, environ: Mapping[str, str]) -> None:
    """Serve until SIGINT or SIGTERM; then end the current legs. A second signal ends at once,
    which loses nothing: the next start goes on."""
    server = Server(settings, environ)
    _log_to_stderr(server.secrets)
    stop = threading.Event()

    def on_signal(*_: object) -> None:
        if stop.is_set():
            os._exit(1)
        stop.set()

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, on_signal)
    with server:
        _log.info("listening at %s/webhook, data in %s", server.url, settings.data)
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
