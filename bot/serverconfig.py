"""Configuration of `repowright serve`: a YAML file, the environment over it, secrets from the
environment or a key file alone."""

import socket
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, ValidationError, field_validator
from sqlalchemy import URL

from bot.base import Data, RepowrightError
from bot.config import DATA_FOLDER, Described, Minutes, Seconds, Settings
from bot.experience.tables import FILE_NAME as EXPERIENCE_FILE
from bot.experience.tables import OFF
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import AppKey, Credentials, GivenToken
from bot.logs import LogFormat
from bot.redaction import secrets_of
from bot.runs.database import FILE_NAME, database_url
from bot.runs.durable import DurableSettings
from bot.runs.worker import WorkerSettings
from bot.settingsfile import settings_table, wrong_setting
from bot.setup.kept import kept_app

PREFIX = "REPOWRIGHT_"
GITHUB_API = "https://api.github.com"
SECRET = f"{PREFIX}WEBHOOK_SECRET"
TOKEN = f"{PREFIX}TOKEN"
KEY = f"{PREFIX}PRIVATE_KEY"


class ServerSettings(Described):
    """Settings of the server."""

    api_url: str = GITHUB_API
    """Base of GitHub's API, such as `https://HOST/api/v3` of an Enterprise Server."""
    app_id: str = ""
    """The GitHub App; empty for the one that the set-up page registered, or for a token."""
    private_key_path: Path | None = None
    """PEM file with the App's private key."""
    repositories: tuple[str, ...] = ()
    """The only repositories to work for, as OWNER/NAME; empty for all where the App is installed.
    A token needs them."""
    data: Path = Path(DATA_FOLDER)
    """Folder for clones, databases and the registered App; one server per folder."""
    host: str = "127.0.0.1"
    """Address to listen at; put TLS in front."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8080
    """Port to listen at; 0 takes a free one."""
    backend: str = "openai"
    """Who answers model calls: `openai`, `mailbox:FOLDER` or `replay:FOLDER`."""
    experience: str = ""
    """Where all repositories learn: a file, the address of a database, or `off`; empty for the
    Postgres of `database`, or a file in `data`."""
    database: str = ""
    """Deliveries, runs and workflows: a file, or the address of a Postgres that several processes
    share; empty for a file in `data`."""
    worker_id: Annotated[str, Field(max_length=100)] = ""
    """Name of this process among those that share a database; empty for the machine's name."""
    threads: Annotated[int, Field(ge=0, le=256)] = 4
    """Legs that run at once in this process; 0 where it takes deliveries alone."""
    per_installation: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Turns of one installation's runs at once, in all processes; empty for no limit."""
    poll_seconds: Seconds = 60.0
    """Time between two looks at a check that no delivery tells of."""
    pulse_seconds: Annotated[float, Field(ge=0.01, le=10)] = 0.5
    """Time between two looks at queues and messages."""
    hold_minutes: Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)] = 60.0
    """How long a run that waits for a person keeps its workflow at most; later words count too."""
    sweep_minutes: Minutes = 10.0
    """Time between two looks for what no delivery told."""
    worker_timeout_seconds: Seconds = 30.0
    """Silence after which the others take over a worker's runs."""
    stuck_minutes: Minutes = 120.0
    """Time without movement after which a workflow is taken for stuck and begun anew."""
    timeout_seconds: Annotated[int, Field(ge=1, le=600)] = 30
    """Patience with a request to GitHub that is not answered."""
    seconds_between_writes: Annotated[float, Field(ge=0, le=3_600, allow_inf_nan=False)] = 1.0
    """Pace of writes to GitHub."""
    writes_per_minute: Annotated[int, Field(ge=1, le=1_000_000)] = 80
    """Most content-creating writes of an installation, as GitHub limits them; an Enterprise Server
    may have no such limit."""
    writes_per_hour: Annotated[int, Field(ge=1, le=1_000_000)] = 500
    """The same for an hour. Workers that share a Postgres count all three together."""
    settle_seconds: Annotated[float, Field(ge=0, le=3_600, allow_inf_nan=False)] = 2.0
    """Patience with a write of unclear outcome, doubled at each look."""
    metrics_host: str = "127.0.0.1"
    """Address at which metrics are shown."""
    metrics_port: Annotated[int, Field(ge=0, le=65_535)] | None = None
    """Port at which Prometheus finds `/metrics`; empty for none."""
    log_format: LogFormat = "text"
    """Lines of the log: `text` for people, `json` for programs."""
    run: Settings = Settings()
    """Settings that every run starts with, and the limits for those of repositories."""

    @field_validator("experience", mode="before")
    @classmethod
    def _off(cls, value: object) -> object:
        """YAML reads a bare `off` as false."""
        return OFF if value is False else value

    @property
    def names_github_com(self) -> bool:
        """Whether the API is the default one."""
        return self.api_url == GITHUB_API

    @property
    def database_address(self) -> str | Path:
        return self.database or self.data / FILE_NAME

    @property
    def experience_address(self) -> str | Path:
        """Several processes that share a Postgres learn together."""
        if self.experience:
            return self.experience
        url = database_url(self.database_address)
        if url.get_backend_name() == "postgresql":
            return self.database
        return self.data / EXPERIENCE_FILE

    def worker(self, session: str) -> WorkerSettings:
        """The worker's settings; `session` is that of the data folder."""
        return WorkerSettings(
            run=self.run,
            durable=DurableSettings(
                url=self._workflows,
                worker_id=self.worker_id or socket.gethostname(),
                threads=self.threads,
                per_installation=self.per_installation,
                pulse=timedelta(seconds=self.pulse_seconds),
            ),
            session=session,
            poll=timedelta(seconds=self.poll_seconds),
            hold=timedelta(minutes=self.hold_minutes),
            sweep_every=timedelta(minutes=self.sweep_minutes),
            patience=timedelta(seconds=self.worker_timeout_seconds),
            stuck=timedelta(minutes=self.stuck_minutes),
        )

    @property
    def _workflows(self) -> URL:
        """The database of the durable workflows: a schema of Postgres, but a file of its own beside
        an SQLite one."""
        url = database_url(self.database_address)
        if url.get_backend_name() == "postgresql" or not url.database:
            return url
        return url.set(database=str(Path(url.database).with_suffix(".workflows.sqlite3")))

    def github(self, repository: str) -> GitHubSettings:
        return GitHubSettings(
            api_url=self.api_url,
            repository=repository,
            timeout=self.timeout_seconds,
            seconds_between_writes=self.seconds_between_writes,
            writes_per_minute=self.writes_per_minute,
            writes_per_hour=self.writes_per_hour,
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
    are separated by commas. Where nobody is named, the App that the set-up page registered. Raise
    RepowrightError naming the setting that is wrong."""
    values = settings_table(file) if file else {}
    where = {name: str(file) for name in values}
    for name in set(ServerSettings.model_fields) - {"run"}:
        text = environ.get(f"{PREFIX}{name.upper()}", "")
        if text:
            values[name] = _list(text) if name == "repositories" else text
            where[name] = f"{PREFIX}{name.upper()}"
    try:
        settings = ServerSettings.model_validate(values)
    except ValidationError as error:
        first = str(error.errors()[0]["loc"][0])
        raise wrong_setting(error, where.get(first, "")) from error
    return with_kept_app(settings, environ)


def with_kept_app(settings: ServerSettings, environ: Mapping[str, str]) -> ServerSettings:
    """The settings with the App that was registered from the data folder's set-up page, where they
    name neither an App nor a token; raise RepowrightError where it is another GitHub's."""
    app = None if settings.app_id or environ.get(TOKEN) else kept_app(settings.data)
    if app is None:
        return settings
    if not settings.names_github_com and settings.api_url.rstrip("/") != app.api_url:
        raise RepowrightError(
            f"the App that is kept there is one of {app.web_url}",
            where=str(settings.data),
            hint="take api_url out of the settings, or set `data` to another folder",
        )
    return settings.model_copy(update={"app_id": app.app_id, "api_url": app.api_url})


def read_secrets(settings: ServerSettings, environ: Mapping[str, str]) -> Secrets:
    """From the environment, else of the App that is kept. Raise RepowrightError where the key file
    cannot be read."""
    kept = kept_app(settings.data)
    own = kept if kept and kept.app_id == settings.app_id else None
    webhook, key = environ.get(SECRET, "").strip(), environ.get(KEY, "")
    key = key or _key(settings.private_key_path)
    if own is not None:
        webhook = webhook or own.webhook_secret.get_secret_value()
        key = key or own.private_key.get_secret_value()
    others = (*_others(settings, environ), *(own.secrets() if own else ()))
    return Secrets(
        webhook=SecretStr(webhook),
        token=SecretStr(environ.get(TOKEN, "").strip()),
        private_key=SecretStr(key),
        others=tuple(map(SecretStr, others)),
    )


def _others(settings: ServerSettings, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What else the environment and the settings hold that nobody may see: the model's key, and
    passwords in the addresses of databases."""
    key = environ.get(settings.run.endpoint.api_key_env, "").strip()
    addresses = secrets_of(
        {
            "experience": settings.experience,
            "database": settings.database,
            "model": settings.run.endpoint.base_url,
        }
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
    return GivenToken(token=secrets.token)


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
