"""Secrets as files: what a container's settings name is read as if it stood in the environment."""

from pathlib import Path

import pytest

from bot.base import RepowrightError
from bot.secretfiles import with_secret_files
from bot.serverconfig import read_secrets, read_settings


def test_files_stand_for_the_variables(tmp_path: Path) -> None:
    webhook = tmp_path / "webhook"
    webhook.write_text("a long secret\n")
    key = tmp_path / "key"
    key.write_text("sk-1\n")
    environ = with_secret_files(
        {"REPOWRIGHT_WEBHOOK_SECRET_FILE": str(webhook), "OPENAI_API_KEY_FILE": str(key)}
    )
    secrets = read_secrets(read_settings(None, environ), environ)
    assert secrets.webhook.get_secret_value() == "a long secret"
    assert environ["OPENAI_API_KEY"] == "sk-1"


def test_other_names_are_left_alone(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    environ = {"SSL_CERT_FILE": missing, "REPOWRIGHT_TOKEN_FILE": "", "HOME": "/home"}
    assert with_secret_files(environ) == environ


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(RepowrightError) as raised:
        with_secret_files({"REPOWRIGHT_TOKEN_FILE": str(missing)})
    assert "REPOWRIGHT_TOKEN_FILE" in raised.value.sentence
    assert str(missing) in raised.value.sentence


def test_value_and_file_together_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("from-file")
    with pytest.raises(RepowrightError) as raised:
        with_secret_files({"REPOWRIGHT_TOKEN": "x", "REPOWRIGHT_TOKEN_FILE": str(file)})
    assert "both REPOWRIGHT_TOKEN and REPOWRIGHT_TOKEN_FILE" in raised.value.sentence
    assert "from-file" not in raised.value.sentence
