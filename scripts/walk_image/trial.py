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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from base import WalkError
from stage import Stage

_SECRET = "walked"  # noqa: S105 - signs the trial's own deliveries
_SETTINGS = {
    "REPOWRIGHT_API_URL": "http://127.0.0.1:9",
    "REPOWRIGHT_REPOSITORIES": "owner/name",
    "REPOWRIGHT_TOKEN_FILE": "/run/secrets/token",
    "REPOWRIGHT_WEBHOOK_SECRET_FILE": "/run/secrets/webhook",
    "OPENAI_API_KEY_FILE": "/run/secrets/model",
}
_ANSWERS_WITHIN = 60.0
_ENDS_WITHIN = 60.0
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
            [*_inside(self.pid), sys.executable, "-c", _ASK, url, body, *given],
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


def try_image(stage: Stage, work: Path) -> None:
    """Start, ask, stop and start again; raise WalkError at the first thing that is wrong."""
    volumes = _volumes(stage, work)
    with _started(stage, work, volumes) as running:
        _expect("/healthz", running.ask("/healthz"), 200)
        _expect("/readyz", running.ask("/readyz"), 200)
        _health(stage, running, volumes)
        _expect("a delivery", running.deliver("walk-1"), 202)
        _expect("a bad signature", running.ask("/webhook", "{}"), 401)
    with _started(stage, work, volumes) as running:
        known = running.deliver("walk-1")
        _expect("the same delivery after a restart", known, 202)
        if "known already" not in known[1]:
            raise WalkError("the data did not outlive the restart")


def _volumes(stage: Stage, work: Path) -> list[str]:
    """Bubblewrap's words for the image's volumes and its secrets, owned by the image's user."""
    user, group = (int(part) for part in stage.user.split(":"))
    words = []
    for volume in stage.volumes:
        folder = work / "volumes" / volume.strip("/").replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        os.chown(folder, user, group)
        words += ["--bind", str(folder), volume]
    secrets = work / "secrets"
    secrets.mkdir(exist_ok=True)
    for name in ("token", "webhook", "model"):
        (secrets / name).write_text(f"{_SECRET}\n")
    words += ["--perms", "1777", "--tmpfs", "/tmp", "--tmpfs", "/run"]  # noqa: S108
    return [*words, "--ro-bind", str(secrets), "/run/secrets"]


@contextmanager
def _started(stage: Stage, work: Path, volumes: list[str]) -> Iterator[Running]:
    """The image between its first answer and the end that its stop signal brings."""
    with (work / "log").open("w+") as log, tempfile.TemporaryFile("w+") as info:
        root = ("--ro-bind", str(stage.root), "/", *volumes, "--unshare-pid", "--unshare-net")
        root = (*root, "--as-pid-1", "--info-fd", str(info.fileno()))
        command = (*stage.entrypoint, *stage.command)
        process = subprocess.Popen(
            stage.words(command, _SETTINGS, root),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            pass_fds=(info.fileno(),),
        )
        try:
            running = Running(_first_answer(process, info.fileno(), work))
            _say_who(running.pid)
            yield running
            begun = time.monotonic()
            os.kill(running.pid, getattr(signal, stage.stop))
            code = process.wait(_ENDS_WITHIN)
            if code != 0:
                raise WalkError(f"{stage.stop} ended it with {code}:\n{_log(work)}")
            print(f"{stage.stop}: ended with 0 after {time.monotonic() - begun:.1f} s")
        finally:
            process.kill()
            process.wait()


def _first_answer(process: "subprocess.Popen[bytes]", info: int, work: Path) -> int:
    """The process id of process 1, once it answers."""
    deadline = time.monotonic() + _ANSWERS_WITHIN
    while time.monotonic() < deadline and process.poll() is None:
        said = os.pread(info, 1000, 0).decode()
        if said.rstrip().endswith("}"):
            pid = int(json.loads(said)["child-pid"])
            if Running(pid).ask("/healthz")[0]:
                return pid
        time.sleep(0.2)
    raise WalkError(f"it does not answer:\n{_log(work)}")


def _say_who(pid: int) -> None:
    status = Path(f"/proc/{pid}/status").read_text()
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    user, capabilities = facts["Uid"].split()[0], int(facts["CapEff"], 16)
    if user == "0" or capabilities:
        raise WalkError(f"it runs as user {user} with capabilities {capabilities:x}")
    print(f"process 1: user {user}, no capabilities, root read-only, no network")


def _health(stage: Stage, running: Running, volumes: list[str]) -> None:
    root = ("--ro-bind", str(stage.root), "/", *volumes)
    done = subprocess.run(
        [*_inside(running.pid), *stage.words(stage.health, {}, root)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WalkError(f"the health check fails:\n{done.stderr}")
    print("HEALTHCHECK: well")


def _inside(pid: int) -> list[str]:
    return ["nsenter", "--target", str(pid), "--net", "--"]


def _expect(what: str, answer: tuple[int, str], status: int) -> None:
    if answer[0] != status:
        raise WalkError(f"{what}: {answer[0]} {answer[1]}, not {status}")
    print(f"{what}: {status} {answer[1]}")


def _log(work: Path) -> str:
    return (work / "log").read_text()[-3000:]
