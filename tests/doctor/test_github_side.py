"""What the doctor finds on GitHub's side: permissions, deliveries, repositories; and in storage."""

import base64
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from flask import Flask, request
from pydantic import SecretStr

from bot.doctor.examination import examine
from bot.doctor.finding import Finding, Status
from bot.doctor.repositories import stopping
from bot.forge.embedded.seed import APP_EVENTS, APP_PERMISSIONS
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.serving import BackgroundServer
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import App, Hook, Installation
from bot.runs.database import open_database
from bot.serverconfig import ServerSettings
from bot.web.signature import is_signed

SECRET = "a long and random secret, honestly"


class Clinic:
    """Ann's App, installed on her repository `lamp`, and a server that takes its deliveries."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.github = EmbeddedGitHub(folder / "github").start()
        self.store = self.github.store
        self.ann = self.store.accounts.create("ann")
        self.lamp = self.store.repositories.create(self.ann, "lamp", Actor(self.ann))
        self.secret = SECRET
        self.web = BackgroundServer(self._receiver(), "receiver", host="127.0.0.1", port=0).start()
        self.port: int = self.web._server.effective_port

    def app(self, **permissions: str) -> tuple[App, Installation]:
        made, key = self.store.apps.create(
            "repowright", self.ann, permissions=APP_PERMISSIONS | permissions, events=APP_EVENTS
        )
        (self.folder / "app.pem").write_text(key)
        self.id = made.id
        return made, self.store.apps.install(made, self.ann)

    def hook(self, app: App, path: str = "/webhook", port: int = 0) -> Hook:
        url = f"http://127.0.0.1:{port or self.port}{path}"
        made = self.store.hooks.create(url, app=app, events=("*",), secret=SECRET)
        self.github.webhooks.ping(made)
        return made

    def put(self, text: str) -> None:
        token = self.store.tokens.create_personal(self.ann)
        requests.put(
            f"{self.github.api_url}/repos/ann/lamp/contents/.github/repowright.yml",
            headers={"Authorization": f"Bearer {token}"},
            json={"message": "Settings", "content": base64.b64encode(text.encode()).decode()},
            timeout=20,
        ).raise_for_status()

    def found(self, **changes: object) -> dict[str, Finding]:
        values: dict[str, object] = {
            "api_url": self.github.api_url,
            "app_id": str(self.id),
            "private_key_path": self.folder / "app.pem",
            "data": self.folder / "data",
            "backend": f"mailbox:{self.folder}",
        }
        settings = ServerSettings.model_validate(values | changes)
        findings = examine(settings, {"REPOWRIGHT_WEBHOOK_SECRET": SECRET})
        names = [f.name for f in findings]
        assert len(names) == len(set(names))
        return {f.name: f for f in findings}

    def close(self) -> None:
        self.github.stop()
        self.web.stop()

    def _receiver(self) -> Flask:
        app = Flask("receiver")

        @app.post("/<path:anywhere>")
        def take(anywhere: str) -> tuple[str, int]:
            signature = request.headers.get("X-Hub-Signature-256", "")
            key = SecretStr(self.secret).get_secret_value().encode()
            good = is_signed(key, request.get_data(), signature)
            return "", 202 if good else 401

        return app


@pytest.fixture
def clinic(tmp_path: Path) -> Iterator[Clinic]:
    made = Clinic(tmp_path)
    yield made
    made.close()


def test_an_app_in_good_health(clinic: Clinic) -> None:
    app, _ = clinic.app()
    clinic.hook(app)
    found = clinic.found()
    assert found["deliveries"].status is Status.OK
    said = f"ping came through to http://127.0.0.1:{clinic.port}/webhook"
    assert found["deliveries"].found == said
    for name in ("repository settings", "actions", "branches", "permissions", "events"):
        assert found[name].status is Status.OK, name
    assert not {"spare permissions", "installation", "webhook address", "failed deliveries"} & set(
        found
    )


def test_a_server_that_cannot_be_reached_and_one_with_another_secret(clinic: Clinic) -> None:
    app, _ = clinic.app()
    hook = clinic.hook(app, port=9)
    found = clinic.found()["deliveries"]
    assert found.status is Status.WARNING
    assert found.found == (
        "GitHub did not reach http://127.0.0.1:9/webhook: failed to connect to host"
    )
    clinic.store.hooks.edit(hook, url=f"http://127.0.0.1:{clinic.port}/webhook")
    clinic.secret = "another one"
    found = clinic.found()["deliveries"]
    assert found.status is Status.FAIL
    assert "refused the signature" in found.found


def test_a_webhook_at_an_odd_address_and_none_at_all(clinic: Clinic) -> None:
    app, _ = clinic.app()
    assert clinic.found()["deliveries"].found == "the App has no webhook"
    clinic.hook(app, path="/events")
    assert clinic.found()["webhook address"].todo == (
        "The server listens at /webhook; a proxy in between has to know that."
    )


def test_more_permissions_than_needed(clinic: Clinic) -> None:
    clinic.app(administration="write", statuses="write")
    found = clinic.found()["spare permissions"]
    assert found.status is Status.WARNING
    assert found.found == "more than a run needs: administration: write, statuses: write"


def test_an_installation_that_has_not_accepted_and_one_that_is_suspended(clinic: Clinic) -> None:
    _, installation = clinic.app()
    fewer = {name: level for name, level in APP_PERMISSIONS.items() if name != "checks"}
    installation = clinic.store.apps.grant(installation, fewer)
    found = clinic.found()["installation"]
    assert (found.status, found.found) == (Status.FAIL, "ann has not accepted: checks: write")
    clinic.store.apps.suspend(clinic.store.apps.grant(installation, APP_PERMISSIONS))
    assert clinic.found()["installation"].found == "suspended for ann"


def test_a_wrong_settings_file_in_a_repository(clinic: Clinic) -> None:
    clinic.app()
    clinic.put("budget: {usd: 3}\n")
    assert clinic.found()["repository settings"].found == (
        "1 repositories have a .github/repowright.yml"
    )


def test_what_is_wrong_in_a_settings_file_is_told_with_its_line(clinic: Clinic) -> None:
    clinic.app()
    clinic.put("# ours\nbudget: {usd: 300}\n")
    found = clinic.found()["repository settings"]
    assert found.status is Status.FAIL
    assert found.found == (
        "ann/lamp: .github/repowright.yml, "
        "line 2: `budget.usd` is `300.0`, and the server allows `5.0` at most"
    )


def test_rules_that_stop_a_push() -> None:
    rules = [{"type": "deletion"}, {"type": "required_signatures"}, {"type": "creation"}]
    assert stopping(rules) == ("creation", "required_signatures")


def test_the_state_of_the_database(clinic: Clinic) -> None:
    clinic.app()
    file = clinic.folder / "server.sqlite3"
    assert clinic.found(database=str(file))["database"].found == f"{file} will be made"
    assert not file.exists()
    open_database(file).dispose()
    found = clinic.found(database=str(file))["database"]
    assert found.status is Status.OK
    assert "tables of version" in found.found
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    assert clinic.found(database=str(file))["database"].status is Status.WARNING
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    found = clinic.found(database=str(file))["database"]
    assert (found.status, "does not know" in found.found) == (Status.FAIL, True)
    file.write_text("no database at all, but long enough to be looked at" * 50)
    assert clinic.found(database=str(file))["database"].status is Status.FAIL
    nowhere = "postgresql://repowright:hidden@127.0.0.1:9/repowright"
    found = clinic.found(database=nowhere)["database"]
    assert found.status is Status.FAIL
    assert "hidden" not in found.found
