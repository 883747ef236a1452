"""Where the server's settings come from, and what is said of wrong ones."""

from pathlib import Path

import pytest

from bot.base import RepowrightError
from bot.serverconfig import ServerSettings, read_secrets, read_settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "server.yaml"


def refusal(file: Path | None, environ: dict[str, str]) -> str:
    with pytest.raises(RepowrightError) as refused:
        read_settings(file, environ)
    return refused.value.sentence


def test_the_environment_goes_over_the_file_and_the_file_over_defaults(file: Path) -> None:
    file.write_text("port: 9000\napp_id: '17'\nrun: {model: little, budget: {usd: 1}}\n")
    environ = {"REPOWRIGHT_PORT": "9001", "REPOWRIGHT_REPOSITORIES": "ann/lamp, dan/desk"}
    settings = read_settings(file, environ)
    assert (settings.port, settings.app_id, settings.host) == (9001, "17", "127.0.0.1")
    assert settings.repositories == ("ann/lamp", "dan/desk")
    assert (settings.run.model, settings.run.budget.usd) == ("little", 1)


def test_an_empty_file_is_all_defaults(file: Path) -> None:
    file.write_text("# nothing yet\n")
    assert read_settings(file, {}) == read_settings(None, {})


def test_a_wrong_setting_is_named_with_its_place(file: Path) -> None:
    file.write_text("run:\n  budget: {usd: much}\n")
    assert refusal(file, {}).startswith(f"{file}: the setting `run.budget.usd` is wrong: ")
    environ = {"REPOWRIGHT_PORT": "70000"}
    assert refusal(None, environ).startswith("REPOWRIGHT_PORT: the setting `port` is wrong: ")


def test_an_unknown_setting_is_an_error(file: Path) -> None:
    file.write_text("webhook_secret: do not write it here\n")
    assert "there is no setting `webhook_secret`" in refusal(file, {})


@pytest.mark.parametrize("text", ["port: [", "- a\n- b\n", "\xff"])
def test_a_file_that_is_no_settings(file: Path, text: str) -> None:
    file.write_bytes(text.encode("latin-1"))
    assert refusal(file, {}).startswith(f"{file}: the settings ")


def test_a_missing_key_file_is_said(tmp_path: Path) -> None:
    settings = read_settings(None, {"REPOWRIGHT_PRIVATE_KEY_PATH": str(tmp_path / "gone.pem")})
    with pytest.raises(RepowrightError) as refused:
        read_secrets(settings, {})
    assert refused.value.sentence == (
        f"{tmp_path / 'gone.pem'}: the private key of the GitHub App cannot be read "
        "(name the PEM file that GitHub made for the App in private_key_path)"
    )


def test_secrets_do_not_show(tmp_path: Path) -> None:
    environ = {"REPOWRIGHT_WEBHOOK_SECRET": "hush-hush", "REPOWRIGHT_TOKEN": "ghp_hushhush"}
    secrets = read_secrets(read_settings(None, {}), environ)
    assert "hush" not in f"{secrets!r} {secrets} {secrets.model_dump_json()}"
    assert secrets.all() == ("hush-hush", "ghp_hushhush")


def test_processes_that_share_a_postgres_learn_together(tmp_path: Path) -> None:
    alone = ServerSettings(data=tmp_path)
    assert alone.experience_address == tmp_path / "experience.sqlite"
    shared = ServerSettings(data=tmp_path, database="postgresql://bot@db/repowright")
    assert shared.experience_address == "postgresql://bot@db/repowright"
    apart = shared.model_copy(update={"experience": "/srv/learnt.sqlite"})
    assert apart.experience_address == "/srv/learnt.sqlite"


def test_the_patience_with_github_is_a_setting() -> None:
    assert ServerSettings(timeout_seconds=5).github("ann/lamp").timeout == 5
