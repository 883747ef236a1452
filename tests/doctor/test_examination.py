"""What `repowright doctor` finds, and what it says to do."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bot.doctor.examination import examine, is_well
from bot.doctor.finding import Finding, Status
from bot.forge.embedded.seed import APP_EVENTS, APP_PERMISSIONS
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.serverconfig import ServerSettings

SECRET = {"REPOWRIGHT_WEBHOOK_SECRET": "a long and random secret, honestly"}


@pytest.fixture
def github(tmp_path: Path) -> Iterator[EmbeddedGitHub]:
    with EmbeddedGitHub(tmp_path / "github") as running:
        yield running


def findings(settings: ServerSettings, environ: dict[str, str]) -> dict[str, Finding]:
    return {f.name: f for f in examine(settings, environ)}


def app_settings(
    github: EmbeddedGitHub,
    folder: Path,
    *,
    permissions: dict[str, str] | None = None,
    events: tuple[str, ...] = APP_EVENTS,
    installed: bool = True,
) -> ServerSettings:
    """The settings of an App of Ann's, who has one repository."""
    ann = github.store.accounts.create("ann")
    github.store.repositories.create(ann, "lamp", Actor(ann))
    granted = APP_PERMISSIONS if permissions is None else permissions
    app, pem = github.store.apps.create("repowright", ann, permissions=granted, events=events)
    if installed:
        github.store.apps.install(app, ann)
    key = folder / "app.pem"
    key.write_text(pem)
    return ServerSettings(
        api_url=github.api_url, app_id=str(app.id), private_key_path=key, data=folder / "data"
    )


def test_a_machine_without_server_is_well_where_its_tools_are(tmp_path: Path) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    found = findings(ServerSettings(data=tmp_path / "not" / "yet"), {})
    assert found["python"].status is Status.OK
    assert found["git"].status is Status.OK
    assert found["sandbox"].found == "bubblewrap ran a command"
    assert found["act"].status is Status.OK
    assert found["data folder"].status is Status.OK
    assert not (tmp_path / "not").exists()
    skipped = {name for name, f in found.items() if f.status is Status.SKIPPED}
    assert skipped == {"credentials", "webhook", "clock", "model"}
    assert "OPENAI_API_KEY is not set" in found["model"].found
    assert is_well(tuple(found.values()))


def test_an_app_that_has_everything(github: EmbeddedGitHub, tmp_path: Path) -> None:
    found = findings(app_settings(github, tmp_path), SECRET)
    assert found["credentials"].found == "App repowright, installed on 1 repositories"
    assert {found[n].status for n in ("permissions", "events", "webhook", "clock")} == {Status.OK}


def test_an_app_that_lacks_permissions_and_events(github: EmbeddedGitHub, tmp_path: Path) -> None:
    settings = app_settings(
        github, tmp_path, permissions={"contents": "read", "issues": "write"}, events=("issues",)
    )
    found = findings(settings, SECRET)
    assert found["permissions"].status is Status.FAIL
    assert found["permissions"].found == (
        "lacking: contents: write, pull_requests: write, checks: write, actions: write"
    )
    assert found["events"].status is Status.WARNING
    assert "issue_comment" in found["events"].found


def test_an_app_that_may_not_write_workflows_is_warned(
    github: EmbeddedGitHub, tmp_path: Path
) -> None:
    fewer = {name: level for name, level in APP_PERMISSIONS.items() if name != "workflows"}
    found = findings(app_settings(github, tmp_path, permissions=fewer), SECRET)
    assert found["permissions"].status is Status.WARNING
    assert found["permissions"].todo == (
        "Grant it, or add the check workflow to every repository by hand."
    )


def test_an_app_installed_nowhere(github: EmbeddedGitHub, tmp_path: Path) -> None:
    found = findings(app_settings(github, tmp_path, installed=False), SECRET)
    assert found["credentials"].status is Status.WARNING
    assert found["credentials"].found == "App repowright is installed nowhere"


def test_a_key_of_another_app(github: EmbeddedGitHub, tmp_path: Path) -> None:
    settings = app_settings(github, tmp_path)
    owner = github.store.accounts.by_login("ann")
    _, other = github.store.apps.create("other", owner)
    (tmp_path / "app.pem").write_text(other)
    found = findings(settings, SECRET)
    assert found["credentials"].status is Status.FAIL
    assert "401" in found["credentials"].found
    assert found["credentials"].todo


def test_a_token_that_may_not_push(github: EmbeddedGitHub, tmp_path: Path) -> None:
    ann, bot = (github.store.accounts.create(name) for name in ("ann", "robot"))
    for name, permission in (("lamp", "write"), ("desk", "read")):
        place = github.store.repositories.create(ann, name, Actor(ann))
        github.store.repositories.add_collaborator(place, bot, permission)
    settings = ServerSettings(
        api_url=github.api_url, repositories=("ann/lamp", "ann/desk", "ann/gone"), data=tmp_path
    )
    token = github.store.tokens.create_personal(bot)
    found = findings(settings, SECRET | {"REPOWRIGHT_TOKEN": token})
    assert found["credentials"].found == "the token of robot"
    assert found["permissions"].status is Status.FAIL
    assert found["permissions"].found == "not writable: ann/desk, ann/gone"


@pytest.mark.parametrize(
    ("secret", "status"), [("", Status.FAIL), ("short", Status.WARNING), ("x" * 32, Status.OK)]
)
def test_the_webhook_secret(
    github: EmbeddedGitHub, tmp_path: Path, secret: str, status: Status
) -> None:
    settings = app_settings(github, tmp_path)
    found = findings(settings, {"REPOWRIGHT_WEBHOOK_SECRET": secret})
    assert found["webhook"].status is status


def test_a_github_that_cannot_be_reached(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    settings = ServerSettings(
        api_url=f"http://127.0.0.1:{port}", repositories=("a/b",), data=tmp_path
    )
    found = findings(settings, SECRET | {"REPOWRIGHT_TOKEN": "ghp_something"})
    assert found["credentials"].status is Status.FAIL
    assert "connection refused" in found["credentials"].found
    assert found["clock"].status is Status.SKIPPED


class Chat(BaseHTTPRequestHandler):
    """A model server whose clock is a day late, and which answers or refuses."""

    refuses = False

    def log_message(self, format: str, *args: object) -> None:
        pass

    def date_time_string(self, timestamp: float | None = None) -> str:
        return "Thu, 01 Jan 2026 00:00:00 GMT"

    def do_GET(self) -> None:
        self._answer(200, {})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.refuses:
            self._answer(401, {"error": {"message": "no such key"}})
            return
        choice = {"index": 0, "message": {"role": "assistant", "content": "ok"}}
        self._answer(
            200,
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "little",
                "choices": [choice | {"finish_reason": "stop"}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
            },
        )

    def _answer(self, status: int, data: dict[str, Any]) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Refusing(Chat):
    refuses = True


@pytest.fixture
def chat(request: pytest.FixtureRequest) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), request.param)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def model_settings(url: str, folder: Path) -> ServerSettings:
    return ServerSettings.model_validate(
        {
            "api_url": url,
            "repositories": ["a/b"],
            "data": folder,
            "run": {"model": "little", "endpoint": {"base_url": f"{url}/v1"}},
        }
    )


@pytest.mark.parametrize("chat", [Chat], indirect=True)
def test_a_model_that_answers_and_a_clock_that_is_off(chat: str, tmp_path: Path) -> None:
    environ = SECRET | {"OPENAI_API_KEY": "sk-something", "REPOWRIGHT_TOKEN": "ghp_something"}
    found = findings(model_settings(chat, tmp_path), environ)
    assert found["model"].status is Status.OK
    assert found["model"].found.startswith("little answered in ")
    assert found["clock"].status is Status.FAIL
    assert found["credentials"].found == f"{chat}: the answer is not from the GitHub API"


@pytest.mark.parametrize("chat", [Refusing], indirect=True)
def test_a_model_that_refuses_the_key(chat: str, tmp_path: Path) -> None:
    found = findings(model_settings(chat, tmp_path), {"OPENAI_API_KEY": "sk-something-secret"})
    assert found["model"].status is Status.FAIL
    assert "401" in found["model"].found
    assert "sk-something-secret" not in found["model"].found
    assert found["model"].todo


def test_other_backends_are_folders(tmp_path: Path) -> None:
    there = ServerSettings(backend=f"mailbox:{tmp_path}", data=tmp_path)
    assert findings(there, {})["model"].status is Status.OK
    gone = ServerSettings(backend=f"replay:{tmp_path / 'gone'}", data=tmp_path)
    assert findings(gone, {})["model"].status is Status.FAIL
    unknown = ServerSettings(backend="oracle", data=tmp_path)
    assert findings(unknown, {})["model"].status is Status.FAIL


def test_the_command_prints_a_table_or_json(tmp_path: Path) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    command = [str(Path(sys.executable).parent / "repowright"), "doctor"]
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("REPOWRIGHT_") and name != "OPENAI_API_KEY"
    }
    environ = clean | {"REPOWRIGHT_DATA": str(tmp_path / "data"), "COLUMNS": "100"}
    table = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert "✓ ok" in table.stdout
    assert "– skipped" in table.stdout
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(str(shutil.which("git")))
    without_sandbox = environ | {"PATH": str(tmp_path / "bin")}
    table = subprocess.run(command, env=without_sandbox, capture_output=True, text=True, check=True)
    assert "A server needs none" in " ".join(table.stdout.split())
    environ["REPOWRIGHT_APP_ID"] = "1"
    failed = subprocess.run(
        [*command, "--json"], env=environ, capture_output=True, text=True, check=False
    )
    told = json.loads(failed.stdout)
    assert failed.returncode == 1
    assert told["well"] is False
    assert {f["name"] for f in told["findings"] if f["status"] == "fail"} == {
        "credentials",
        "webhook",
    }
