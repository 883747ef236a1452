"""Loopback servers that fail as GitHub fails, and a small world on the embedded GitHub."""

import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pydantic import SecretStr

from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.events import Event
from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.credentials import ActionsToken, AppKey, Credentials, PersonalToken
from bot.forge.github.forge import GitHubForge
from bot.forge.github.gitstore import GitHubGitStore, Identity
from bot.forge.github.pace import Clock


@dataclass
class Reply:
    """An answer; `status` 0 closes the connection without one."""

    status: int
    data: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass
class Seen:
    verb: str
    path: str
    headers: dict[str, str]
    body: bytes


class Server:
    """Serves on a free port until it is closed."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self.netloc = f"127.0.0.1:{self._http.server_address[1]}"
        self.url = f"http://{self.netloc}"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def received(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            return b"".join(iter(self._chunk, b""))
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline(), 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data

    def hang_up(self) -> None:
        self.close_connection = True

    def reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Scripted(Server):
    """Answers requests from a script, one after the other, and remembers them."""

    def __init__(self) -> None:
        self.script: list[Reply] = []
        self.seen: list[Seen] = []
        outer = self

        class Play(Handler):
            def answer(self) -> None:
                body = self.received()
                outer.seen.append(Seen(self.command, self.path, dict(self.headers), body))
                reply = outer.script.pop(0) if outer.script else Reply(500, {"message": "empty"})
                if reply.status == 0:
                    self.hang_up()
                    return
                text = json.dumps(reply.data).encode() if reply.body is None else reply.body
                kind = {"Content-Type": "application/json; charset=utf-8"}
                self.reply(reply.status, {**kind, **reply.headers}, text)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

        super().__init__(Play)

    @property
    def calls(self) -> list[str]:
        return [f"{seen.verb} {seen.path}" for seen in self.seen]


class Dropping(Server):
    """Passes requests on to a server; the next `drops` writes are carried out there, and then the
    connection is closed instead of answered."""

    def __init__(self, upstream: str) -> None:
        self.drops = 0
        self.dropped = 0
        self.spare: tuple[str, ...] = ()
        self.writes: list[str] = []
        outer = self
        target = urlsplit(upstream).netloc

        class Forward(Handler):
            def answer(self) -> None:
                body = self.received()
                link = http.client.HTTPConnection(target, timeout=60)
                headers = {
                    k: v
                    for k, v in self.headers.items()
                    if k.lower() not in ("host", "connection", "transfer-encoding")
                }
                headers["Content-Length"] = str(len(body))
                link.request(self.command, self.path, body, headers)
                answer = link.getresponse()
                data = answer.read()
                link.close()
                if outer.is_write(self.command, self.path):
                    outer.writes.append(f"{self.command} {self.path}")
                    if outer.drops and not self.path.endswith(outer.spare or ("//",)):
                        outer.drops -= 1
                        outer.dropped += 1
                        self.hang_up()
                        return
                kept = {
                    k: v.replace(target, outer.netloc)
                    for k, v in answer.getheaders()
                    if k.lower() not in ("content-length", "transfer-encoding", "connection")
                }
                if "json" in (answer.getheader("Content-Type") or ""):
                    data = data.replace(target.encode(), outer.netloc.encode())
                self.reply(answer.status, kept, data)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = answer

        super().__init__(Forward)

    @staticmethod
    def is_write(verb: str, path: str) -> bool:
        return verb not in ("GET", "HEAD") and not path.endswith("/git-upload-pack")


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    server = Scripted()
    yield server
    server.close()


@pytest.fixture
def reply() -> type[Reply]:
    return Reply


@pytest.fixture
def other() -> Iterator[Scripted]:
    server = Scripted()
    yield server
    server.close()


BOT = Identity(name="Repowright", email="bot@example.invalid")
WORKFLOW = """
name: check
on: [workflow_dispatch]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - run: "true"
"""
PERMISSIONS = dict.fromkeys(
    ("actions", "checks", "contents", "issues", "pull_requests", "statuses", "workflows"), "write"
)


class World:
    """Ann's repository `lamp`, with the bot installed as an App, behind a line that can break."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.github = EmbeddedGitHub(folder / "github").start()
        self.store = self.github.store
        self.line = Dropping(self.github.url)
        accounts = self.store.accounts
        self.ann, self.dan, self.eve = (accounts.create(name) for name in ("ann", "dan", "eve"))
        self.lamp = self.store.repositories.create(self.ann, "lamp", Actor(self.ann))
        self.store.repositories.add_collaborator(self.lamp, self.dan, "triage")
        app, pem = self.store.apps.create("repowright", self.ann, permissions=PERMISSIONS)
        installed = self.store.apps.install(app, self.ann)
        self.app = AppKey(
            app_id=str(app.id), private_key=SecretStr(pem), installation_id=installed.id
        )
        self.bot = self.store.apps.bot(app)
        self.clones = 0

    def close(self) -> None:
        self.line.close()
        self.github.stop()

    def token_of(self, name: str) -> PersonalToken:
        account = self.store.accounts.by_login(name)
        return PersonalToken(token=SecretStr(self.store.tokens.create_personal(account)))

    def workflow_token(self) -> ActionsToken:
        return ActionsToken(token=SecretStr(self.store.tokens.create_workflow(self.lamp, 1)))

    def client(self, credentials: Credentials | None = None) -> GitHubClient:
        settings = GitHubSettings(
            api_url=f"{self.line.url}/api/v3",
            repository="ann/lamp",
            seconds_between_writes=0.0,
            settle_seconds=0.0,
        )
        clock = Clock(sleep=lambda _: None)
        return GitHubClient(settings, credentials or self.app, clock=clock)

    def forge(self, credentials: Credentials | None = None) -> GitHubForge:
        """A bot that has just started: it remembers nothing."""
        return GitHubForge(self.client(credentials), identity=BOT)

    def clone(self, credentials: Credentials | None = None) -> GitHubGitStore:
        self.clones += 1
        return GitHubGitStore(
            self.folder / f"clone{self.clones}.git",
            self.client(credentials),
            identity=BOT,
            now=lambda: datetime(2026, 1, 2, 12, 0, tzinfo=UTC),
            pause=lambda _: None,
        )

    def seed(self) -> str:
        """A first commit and a workflow on main; returns the head of main."""
        first = self.forge().first_commit("seed:1", "README.md", "# Lamp\n")
        return self.clone().commit(
            "main",
            parent=first,
            changes={".github/workflows/check.yml": WORKFLOW.encode()},
            message="Add the workflow",
            mark="seed:2",
        )

    def work(self, main: str) -> str:
        """One commit on the branch `work`: a new file of 30 lines."""
        lines = "".join(f"line {number}\n" for number in range(1, 31))
        return self.clone().commit(
            "work", parent=main, changes={"pkg/a.py": lines.encode()}, message="Work", mark="w:1"
        )

    def run_workflows(self) -> None:
        """Make a run of what is dispatched, as the Actions runner does."""

        def start(event: Event) -> None:
            if event.name == "workflow_dispatch":
                head = self.store.git(self.lamp).resolve("main")
                found = self.store.actions.workflow(
                    self.lamp, ".github/workflows/check.yml", "check"
                )
                self.store.actions.create_run(
                    self.lamp,
                    found,
                    event.actor,
                    event="workflow_dispatch",
                    head_sha=head or "",
                    head_branch="main",
                )

        self.store.bus.subscribe(start)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()
