"""compose.yaml: hardened services, secrets as files, a database that nobody outside reaches."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from deployed import DEPLOY

from bot.secretfiles import with_secret_files
from bot.serverconfig import read_settings


@pytest.mark.parametrize("name", ["web", "worker", "postgres"])
def test_every_service_is_hardened(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].split(":")[0] not in ("0", "root")
    assert service["restart"] == "unless-stopped"
    assert service["mem_limit"]
    assert service["pids_limit"]


def test_only_the_web_is_published_and_to_this_machine_alone(compose: dict[str, Any]) -> None:
    published = {name: s.get("ports", []) for name, s in compose["services"].items()}
    assert published["worker"] == published["postgres"] == []
    assert [port["host_ip"] for port in published["web"]] == ["127.0.0.1"]


def test_the_database_is_on_an_inner_network_alone(compose: dict[str, Any]) -> None:
    assert list(compose["services"]["postgres"]["networks"]) == ["inside"]
    assert compose["networks"]["inside"]["internal"] is True


def test_no_secret_stands_in_the_environment(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for name, value in service["environment"].items():
            secret = any(word in name for word in ("SECRET", "KEY", "PASSWORD", "DATABASE"))
            assert not secret or (name.endswith("_FILE") and value.startswith("/run/secrets/"))


def test_bot_waits_for_a_database_that_answers(compose: dict[str, Any]) -> None:
    for name in ("web", "worker"):
        waits = compose["services"][name]["depends_on"]["postgres"]
        assert waits["condition"] == "service_healthy"
    assert "pg_isready" in compose["services"]["postgres"]["healthcheck"]["test"]


def test_web_takes_deliveries_and_workers_have_names(compose: dict[str, Any]) -> None:
    """What the environment of each says, as the bot reads it."""
    web, worker = (_settings(compose["services"][name]) for name in ("web", "worker"))
    assert web.threads == 0
    assert worker.threads > 0
    assert web.worker_id and worker.worker_id
    assert web.worker_id != worker.worker_id


def test_make_secrets_makes_each_that_compose_names(
    compose: dict[str, Any], tmp_path: Path
) -> None:
    script = tmp_path / "make-secrets"
    script.write_text((DEPLOY / "make-secrets").read_text())
    first = _make(script)
    folder = tmp_path / "secrets"
    made = {file.name: file.read_text() for file in folder.iterdir()}
    assert set(made) == {Path(s["file"]).name for s in compose["secrets"].values()}
    assert made["postgres_password"] in made["database"]
    assert len(made["webhook_secret"]) == 64
    assert "put the GitHub App's private key" in first
    (folder / "private_key").write_text("mine")
    again = _make(script)
    assert (folder / "webhook_secret").read_text() == made["webhook_secret"]
    assert "private key" not in again
    assert folder.stat().st_mode & 0o077 == 0
    environ = {"REPOWRIGHT_DATABASE_FILE": str(folder / "database")}
    assert read_settings(None, with_secret_files(environ)).database == made["database"]


def _settings(service: dict[str, Any]) -> Any:
    plain = {n: v for n, v in service["environment"].items() if not n.endswith("_FILE")}
    return read_settings(None, plain)


def _make(script: Path) -> str:
    done = subprocess.run(["sh", script], capture_output=True, text=True, check=True)
    return done.stdout
