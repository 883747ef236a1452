"""Runs the finished image as an orchestrator would (its user, a read-only root, no network, no
capabilities) and looks at what it answers and how it ends."""

import hashlib
import hmac
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from base import WalkError
from sqlalchemy import make_url
from stage import Stage

from bot.bench.postgres import PostgresMissing, private_postgres

_SECRET = "walked"  # noqa: S105 - signs the trial's own deliveries
_SETTINGS = {
    "REPOWRIGHT_API_URL": "http://127.0.0.1:9",
    "REPOWRIGHT_REPOSITORIES": "owner/name",
    "REPOWRIGHT_TOKEN_FILE": "/run/secrets/token",
    "REPOWRIGHT_WEBHOOK_SECRET_FILE": "/run/secrets/webhook",
    "OPENAI_API_KEY_FILE": "/run/secrets/model",
}
_PATIENCE = 60.0
_ASK = """
import sys, urllib.error, urllib.request
address, body, *headers = sys.argv[1:]
headers = dict(header.split(":", 1) for header in headers)
request = urllib.request.Request(address, data=body.encode() or None, headers=headers)
try:
    with urllib.request.urlopen(request, timeout=10) as answer:
        print(answer.status, answer.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except OSError as error:
    print(0, error)
"""


@dataclass(frozen=True)
class Running:
    """The image's process 1, asked from within its network namespace."""

    pid: int

    def ask(self, path: str, body: str = "", **headers: str) -> tuple[int, str]:
        """Status and text of the answer; status 0 where nothing answers."""
        given = [f"{name.replace('_', '-')}:{value}" for name, value in headers.items()]
        url = f"http://127.0.0.1:8080{path}"
        said = subprocess.run(
            [*self.inside, sys.executable, "-c", _ASK, url, body, *given],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        status, _, text = said.partition(" ")
        return int(status), text.strip()

    def deliver(self, id: str) -> tuple[int, str]:
        """Send a signed `ping`, as GitHub does when a webhook is made."""
        body = json.dumps({"zen": "Design for failure."})
        signature = hmac.new(_SECRET.encode(), body.encode(), hashlib.sha256).hexdigest()
        return self.ask(
            "/webhook",
            body,
            Content_Type="application/json",
            X_GitHub_Event="ping",
            X_GitHub_Delivery=id,
            X_Hub_Signature_256=f"sha256={signature}",
        )

    @property
    def inside(self) -> list[str]:
        return ["nsenter", "--target", str(self.pid), "--net", "--"]


@dataclass(frozen=True)
class Container:
    """The image with a data volume, a command and settings of its own."""

    stage: Stage
    folder: Path
    command: tuple[str, ...]
    settings: dict[str, str]
    mounts: tuple[str, ...] = ()

    @contextmanager
    def running(self) -> Iterator[Running]:
        """Between its first answer and the end that its stop signal brings."""
        mounts = self.mounted()
        with (self.folder / "log").open("w+") as log, tempfile.TemporaryFile("w+") as info:
            root = (*mounts, "--unshare-pid", "--unshare-net", "--as-pid-1")
            process = subprocess.Popen(
                self.stage.words(
                    (*self.stage.entrypoint, *self.command),
                    {**_SETTINGS, **self.settings},
                    (*root, "--info-fd", str(info.fileno())),
                ),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(info.fileno(),),
            )
            try:
                running = self._answering(process, info.fileno())
                _say_who(running.pid)
                yield running
                self._stop(process, running)
            finally:
                process.kill()
                process.wait()

    def check_health(self, running: Running) -> None:
        """Do what HEALTHCHECK says."""
        done = subprocess.run(
            [*running.inside, *self.stage.words(self.stage.health, {}, self.mounted())],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise WalkError(f"the health check fails:\n{done.stderr}")
        print("HEALTHCHECK: well")

    def mounted(self) -> tuple[str, ...]:
        """Bubblewrap's words for the read-only root, the volumes and the secrets."""
        words = ["--ro-bind", str(self.stage.root), "/"]
        for volume in self.stage.volumes:
            place = self.folder / "volumes" / volume.strip("/").replace("/", "-")
            place.mkdir(parents=True, exist_ok=True)
            os.chown(place, *(int(part) for part in self.stage.user.split(":")))
            words += ["--bind", str(place), volume]
        secrets = self.folder / "secrets"
        secrets.mkdir(exist_ok=True)
        for name in ("token", "webhook", "model"):
            (secrets / name).write_text(f"{_SECRET}\n")
        words += ["--perms", "1777", "--tmpfs", "/tmp", "--tmpfs", "/run"]  # noqa: S108
        return (*words, "--ro-bind", str(secrets), "/run/secrets", *self.mounts)

    def _answering(self, process: "subprocess.Popen[bytes]", info: int) -> Running:
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline and process.poll() is None:
            said = os.pread(info, 1000, 0).decode()
            if said.rstrip().endswith("}"):
                running = Running(int(json.loads(said)["child-pid"]))
                if running.ask("/healthz")[0]:
                    return running
            time.sleep(0.2)
        raise WalkError(f"`{' '.join(self.command)}` does not answer:\n{self._log()}")

    def _stop(self, process: "subprocess.Popen[bytes]", running: Running) -> None:
        begun = time.monotonic()
        os.kill(running.pid, getattr(signal, self.stage.stop))
        code = process.wait(_PATIENCE)
        if code:
            raise WalkError(f"{self.stage.stop} ended it with {code}:\n{self._log()}")
        took = time.monotonic() - begun
        print(f"{self.stage.stop}: `{' '.join(self.command)}` ended with 0 after {took:.1f} s")

    def _log(self) -> str:
        return (self.folder / "log").read_text()[-3000:]


def try_alone(stage: Stage, work: Path) -> None:
    """Web and worker in one process, on SQLite: start, ask, stop and start again."""
    container = _container(stage, work / "alone", stage.command, {})
    with container.running() as running:
        _expect("/healthz", running.ask("/healthz"), 200)
        _expect("/readyz", running.ask("/readyz"), 200)
        container.check_health(running)
        _expect("a delivery", running.deliver("walk-1"), 202)
        _expect("a bad signature", running.ask("/webhook", "{}"), 401)
    with container.running() as running:
        known = running.deliver("walk-1")
        _expect("the same delivery after a restart", known, 202)
        if "known already" not in known[1]:
            raise WalkError("the data did not outlive the restart")


def try_together(stage: Stage, work: Path) -> None:
    """A web that works nothing and a worker that receives nothing, on one Postgres."""
    try:
        with private_postgres(durable=False) as address:
            folder = str(make_url(address).query["host"])
            Path(folder).chmod(0o755)
            shared = {"REPOWRIGHT_DATABASE": address, "REPOWRIGHT_EXPERIENCE": address}
            mounts = ("--bind", folder, folder)
            web = {**shared, "REPOWRIGHT_WORKER_ID": "web", "REPOWRIGHT_THREADS": "0"}
            worker = {**shared, "REPOWRIGHT_WORKER_ID": "worker-1"}
            _try_pair(
                _container(stage, work / "web", ("serve",), web, mounts),
                _container(stage, work / "worker", ("worker",), worker, mounts),
            )
    except PostgresMissing as error:
        print(f"web and worker on one Postgres: not tried ({error.sentence})")


def _try_pair(web: Container, worker: Container) -> None:
    with web.running() as receiving:
        _expect("/readyz of the web", receiving.ask("/readyz"), 200)
        _expect("a delivery", receiving.deliver("walk-2"), 202)
        with worker.running() as working:
            _expect("/readyz of the worker", working.ask("/readyz"), 200)
            _expect("a delivery to the worker", working.deliver("walk-3"), 404)
            _until("the delivery is read", lambda: _health(working)["deliveries"] == 0)


def _container(
    stage: Stage,
    folder: Path,
    command: tuple[str, ...],
    settings: dict[str, str],
    mounts: tuple[str, ...] = (),
) -> Container:
    folder.mkdir(exist_ok=True)
    return Container(stage, folder, command, settings, mounts)


def _say_who(pid: int) -> None:
    status = Path(f"/proc/{pid}/status").read_text()
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    user, capabilities = facts["Uid"].split()[0], int(facts["CapEff"], 16)
    if user == "0" or capabilities:
        raise WalkError(f"it runs as user {user} with capabilities {capabilities:x}")
    print(f"process 1: user {user}, no capabilities, root read-only, no network")


def _health(running: Running) -> dict[str, int]:
    found: dict[str, int] = json.loads(running.ask("/readyz")[1])
    return found


def _until(what: str, holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise WalkError(f"not within {_PATIENCE:.0f} s: {what}")
        time.sleep(0.2)
    print(what)


def _expect(what: str, answer: tuple[int, str], status: int) -> None:
    if answer[0] != status:
        raise WalkError(f"{what}: {answer[0]} {answer[1]}, not {status}")
    print(f"{what}: {status} {' '.join(answer[1].split())}"[:120])
