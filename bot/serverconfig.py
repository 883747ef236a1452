"""Configuration of `repowright serve`: a YAML file, the environment over it, secrets from the
environment or a key file alone."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, SecretStr, ValidationError, field_validator

from bot.base import Data, RepowrightError
from bot.config import DATA_FOLDER, Settings
from bot.experience.tables import OFF
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import AppKey, Credentials, PersonalToken
from bot.redaction import secrets_of
from bot.runs.worker import WorkerSettings

PREFIX = "REPOWRIGHT_"
SECRET = f"{PREFIX}WEBHOOK_SECRET"
TOKEN = f"{PREFIX}TOKEN"
KEY = f"{PREFIX}PRIVATE_KEY"


class ServerSettings(Data):
    """Settings of the server; `run` are those that every run starts with.

    An App is named by `app_id` and `private_key_path`; a personal token needs `repositories`,
    which also narrow down where an App works (none: wherever it is installed). `threads` is how
    many repositories are worked at once. `backend` is that of the command line's `--backend`, and
    `experience` the store of its `--experience`: "" is a file in `data`.
    """

    api_url: str = "https://api.github.com"
    app_id: str = ""
    private_key_path: Path | None = None
    repositories: tuple[str, ...] = ()
    data: Path = Path(DATA_FOLDER)
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65_535)
    backend: str = "openai"
    experience: str = ""
    threads: int = Field(default=4, ge=1, le=256)
    poll_seconds: float = Field(default=60.0, gt=0)
    sweep_minutes: float = Field(default=10.0, gt=0)
    seconds_between_writes: float = Field(default=1.0, ge=0)
    settle_seconds: float = Field(default=2.0, ge=0)
    run: Settings = Settings()

    @field_validator("experience", mode="before")
    @classmethod
    def _off(cls, value: object) -> object:
        """YAML reads a bare `off` as false."""
        return OFF if value is False else value

    @property
    def worker(self) -> WorkerSettings:
        return WorkerSettings(
            run=self.run,
            threads=self.threads,
            poll=timedelta(seconds=self.poll_seconds),
            sweep_every=timedelta(minutes=self.sweep_minutes),
        )

    def github(self, repository: str) -> GitHubSettings:
        return GitHubSettings(
            api_url=self.api_url,
            repository=repository,
            seconds_between_writes=self.seconds_between_writes,
            settle_seconds=self.settle_seconds,
        )


class Secrets(Data):
    """What the environment holds and nothing else may: each empty where it is not given."""

    webhook: SecretStr
    token: SecretStr
    private_key: SecretStr
    others: tuple[SecretStr, ...] = ()

    def all(self) -> tuple[str, ...]:
        """Everything that must not be shown."""
        fields = (self.webhook, self.token, self.private_key, *self.others)
        texts = (field.get_secret_value() for field in fields)
        return tuple(dict.fromkeys(text for text in texts if text))


def read_settings(file: Path | None, environ: Mapping[str, str]) -> ServerSettings:
    """Defaults, then the file, then `REPOWRIGHT_<SETTING>` for every setting but `run`; lists
    are separated by commas. Raise RepowrightError naming the setting that is wrong."""
    values = settings_table(file) if file else {}
    where = {name: str(file) for name in values}
    for name in set(ServerSettings.model_fields) - {"run"}:
        text = environ.get(f"{PREFIX}{name.upper()}", "")
        if text:
            values[name] = _list(text) if name == "repositories" else text
            where[name] = f"{PREFIX}{name.upper()}"
    try:
        return ServerSettings.model_validate(values)
    except ValidationError as error:
        first = str(error.errors()[0]["loc"][0])
        raise wrong_setting(error, where.get(first, "")) from error


def read_secrets(settings: ServerSettings, environ: Mapping[str, str]) -> Secrets:
    """Raise RepowrightError where the key file cannot be read."""
    return Secrets(
        webhook=SecretStr(environ.get(SECRET, "").strip()),
        token=SecretStr(environ.get(TOKEN, "").strip()),
        private_key=SecretStr(environ.get(KEY, "") or _key(settings.private_key_path)),
        others=tuple(map(SecretStr, _others(settings, environ))),
    )


def _others(settings: ServerSettings, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What else the environment and the settings hold that nobody may see: the model's key, and
    passwords in the addresses of databases."""
    key = environ.get(settings.run.endpoint.api_key_env, "").strip()
    addresses = secrets_of(
        {"experience": settings.experience, "url": settings.run.endpoint.base_url}
    )
    return tuple(text for text in (key, *secrets_of(environ), *addresses) if text)


def credentials_of(settings: ServerSettings, secrets: Secrets, installation: int) -> Credentials:
    """Who the server is on GitHub; raise RepowrightError where that is not clear."""
    token, key = secrets.token.get_secret_value(), secrets.private_key.get_secret_value()
    if settings.app_id and token:
        raise RepowrightError(
            "both a GitHub App and a token are given",
            hint=f"unset {TOKEN}, or app_id to work as the token's account",
        )
    if settings.app_id and key:
        return AppKey(
            app_id=settings.app_id, private_key=secrets.private_key, installation_id=installation
        )
    if settings.app_id:
        raise RepowrightError(
            "the GitHub App has no private key",
            hint=f"set private_key_path to its PEM file, or {KEY} to what is in it",
        )
    if not token:
        raise RepowrightError(
            "there are no GitHub credentials",
            hint=f"set app_id and private_key_path of a GitHub App, or {TOKEN}",
        )
    if not settings.repositories:
        raise RepowrightError(
            "a token without repositories",
            hint="name them in `repositories`; only an App knows where it is installed",
        )
    return PersonalToken(token=secrets.token)


def wrong_setting(error: ValidationError, where: str) -> RepowrightError:
    """The first thing that is wrong with settings from `where`."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] != "extra_forbidden":
        return RepowrightError(f"the setting `{place}` is wrong: {first['msg']}", where=where)
    hint = "docs/models.md names the settings of a run, docs/serving.md those of the server"
    if place in Settings.model_fields:
        hint = "it is one of a run's: put it under `run:`"
    return RepowrightError(f"there is no setting `{place}`", where=where, hint=hint)


def settings_table(file: Path) -> dict[str, Any]:
    """What a YAML file of settings holds; raise RepowrightError where that is no table."""
    try:
        values = yaml.safe_load(file.read_text("utf-8"))
    except OSError as error:
        problem = f"the settings cannot be read: {error.strerror}"
        raise RepowrightError(problem, where=str(file)) from error
    except UnicodeDecodeError as error:
        raise RepowrightError("the settings are not UTF-8 text", where=str(file)) from error
    except yaml.YAMLError as error:
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        mark = getattr(error, "problem_mark", None)
        line = f" in line {mark.line + 1}" if mark else ""
        raise RepowrightError(
            f"the settings are not YAML{line}: {problem}", where=str(file)
        ) from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise RepowrightError("the settings are no table of names and values", where=str(file))
    return {str(name): value for name, value in values.items()}


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _key(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise RepowrightError(
            "the private key of the GitHub App cannot be read",
            where=str(path),
            hint="name the PEM file that GitHub made for the App in private_key_path",
        ) from error
