"""The servers that are measured, each a process of its own on a port of this machine."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import httpx2
from pydantic import SecretStr
from sqlalchemy import Engine, create_engine, text

from bot.base import RepowrightError
from bot.bench.api.packages import cache_folder
from bot.bench.load.served import Served
from bot.bench.load.world import World
from bot.serverconfig import SECRET, TOKEN, ServerSettings

# The peers read it by this name.
_VARIABLE = "WEBHOOK_SECRET"
_PATIENCE = 60.0
_INSTALLING = 300


@dataclass(frozen=True)
class Target:
    """A server that listens; `database` is where it keeps deliveries, None where it keeps none,
    `metrics` the port of its metrics."""

    process: int
    port: int
    database: Engine | None
    path: str = "/webhook"
    metrics: int | None = None

    def stored(self) -> Counter[str]:
        """How often each delivery is kept, by id."""
        if self.database is None:
            return Counter()
        with self.database.connect() as connection:
            return Counter(connection.execute(text("SELECT id FROM deliveries")).scalars())

    def cpu_seconds(self) -> float:
        """Processor time of the server so far, without that of its database or of processes that it
        has started. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html"""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def legs(self) -> int | None:
        """How many legs its worker has done, None where it has no worker."""
        if self.metrics is None:
            return None
        shown = httpx2.get(f"http://127.0.0.1:{self.metrics}/metrics").text
        counted = re.findall(r"^repowright_leg_seconds_count\{.*\} (\S+)$", shown, re.MULTILINE)
        return round(sum(map(float, counted)))


@contextmanager
def bot(folder: Path, secret: SecretStr, world: World, database: str = "") -> Iterator[Target]:
    """`repowright serve` as it comes, on a GitHub that it works for; `database` "" is SQLite."""
    port, metrics = free_port(), free_port()
    settings = ServerSettings(
        api_url=world.api_url,
        repositories=world.repositories,
        data=folder,
        port=port,
        database=database,
        metrics_port=metrics,
        seconds_between_writes=0,
    )
    environ = {SECRET: secret.get_secret_value(), TOKEN: world.token}
    order = Served(settings=settings, environ=environ)
    command = [sys.executable, "-m", "bot.bench.load.served"]
    kept = create_engine(database or f"sqlite:///{folder / 'repowright.sqlite3'}")
    with _process(command, folder, {}, port, asked=order.model_dump_json()) as process:
        yield Target(process, port, kept, metrics=metrics)
    kept.dispose()


@contextmanager
def aiohttp(folder: Path, secret: SecretStr, *, stores: bool) -> Iterator[Target]:
    """aiohttp and gidgethub, storing in SQLite or nowhere."""
    port, file = free_port(), folder / "deliveries.sqlite3"
    command = [sys.executable, "-m", "bot.bench.load.peers.with_aiohttp", str(port)]
    kept = create_engine(f"sqlite:///{file}") if stores else None
    environ = {_VARIABLE: secret.get_secret_value()}
    with _process([*command, *([str(file)] if stores else [])], folder, environ, port) as process:
        yield Target(process, port, kept)
    if kept is not None:
        kept.dispose()


@contextmanager
def probot(folder: Path, secret: SecretStr, private_key: str) -> Iterator[Target]:
    """Probot on Node.js. Raise RepowrightError where npm does not get it."""
    port = free_port()
    home = _installed(cache_folder().parent / "probot")
    environ = {_VARIABLE: secret.get_secret_value(), "PRIVATE_KEY": private_key}
    command = [str(shutil.which("node")), str(home / "probot.js"), str(port)]
    with _process(command, folder, {**environ, "NODE_ENV": "production"}, port) as process:
        yield Target(process, port, None)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@contextmanager
def _process(
    command: Sequence[str],
    folder: Path,
    environ: Mapping[str, str],
    port: int,
    *,
    asked: str = "",
) -> Iterator[int]:
    """The number of a server's process that listens meanwhile; it is `asked` on standard input, and
    its last words are in the error where it does not start."""
    order = folder / "order"
    order.write_text(asked, "utf-8")
    log = folder / "log"
    with order.open() as given, log.open("w") as output:
        started = subprocess.Popen(
            command, env={**os.environ, **environ}, stdin=given, stdout=output, stderr=output
        )
    try:
        _wait_for(port, started, log)
        yield started.pid
    finally:
        started.terminate()
        started.wait(_PATIENCE)


def _wait_for(port: int, started: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if started.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            last = (log.read_text("utf-8", "replace").strip().splitlines() or [""])[-1]
            raise RepowrightError(f"a server to measure does not start: {last}") from None
        return


def _installed(folder: Path) -> Path:
    """The folder of the app with what it needs, fetched by npm where it is not there yet."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise RepowrightError("Node.js is not installed", hint="install it, with npm")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "probot.js"):
        source = resources.files("bot.bench.load.peers").joinpath(name)
        (folder / name).write_text(source.read_text("utf-8"), "utf-8")
    if not (folder / "node_modules" / "probot").is_dir():
        command = [npm, "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=_INSTALLING
        )
        if done.returncode:
            raise RepowrightError(f"npm does not get Probot: {done.stderr.strip()[-300:]}")
    return folder
