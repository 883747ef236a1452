"""The credentials of a registered App, kept in the data folder where the bot's account alone can
read them."""

import os
from pathlib import Path

from pydantic import SecretStr, ValidationError, field_serializer

from bot.base import Data, RepowrightError

FILE_NAME = "github-app.json"
_PRIVATE = 0o600


class KeptApp(Data):
    """What GitHub gives when an App is registered, and which GitHub that is."""

    api_url: str
    web_url: str
    app_id: str
    slug: str
    name: str
    owner: str
    html_url: str
    client_id: str
    client_secret: SecretStr
    webhook_secret: SecretStr
    private_key: SecretStr

    @field_serializer("client_secret", "webhook_secret", "private_key", when_used="json")
    def _plain(self, secret: SecretStr) -> str:
        """The file alone is written as JSON."""
        return secret.get_secret_value()

    @property
    def installation_url(self) -> str:
        """Where the App's owner chooses repositories.
        https://docs.github.com/en/apps/using-github-apps/installing-your-own-github-app
        """
        return f"{self.html_url}/installations/new"

    def secrets(self) -> tuple[str, ...]:
        """Everything that must not be shown."""
        fields = (self.client_secret, self.webhook_secret, self.private_key)
        return tuple(field.get_secret_value() for field in fields)


def keep(folder: Path, app: KeptApp) -> Path:
    """Write the file, complete or not at all, readable by its owner alone; an App that is kept
    already is never overwritten. Raise RepowrightError."""
    place = folder / FILE_NAME
    text = app.model_dump_json(indent=1)
    fresh = folder / f".{FILE_NAME}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(fresh, place)
        fresh.unlink()
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise RepowrightError(
            f"the App's credentials cannot be kept: {error.strerror}",
            where=str(place),
            hint="give the bot's account a folder of its own that it can write, as `data`",
        ) from error
    return place


def kept_app(folder: Path) -> KeptApp | None:
    """The App that was registered from this folder's set-up page, None where none was. Raise
    RepowrightError where the file cannot be used, or everybody can read it (a container's volume
    may give it to a group)."""
    place = folder / FILE_NAME
    try:
        mode = place.stat().st_mode
        text = place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        problem = f"the App's credentials cannot be read: {error.strerror}"
        raise RepowrightError(problem, where=str(place)) from error
    if mode & 0o007:
        raise RepowrightError(
            "everybody on this machine can read the App's credentials",
            where=str(place),
            hint=f"chmod 600 {place}, and make a new private key in the App's settings",
        )
    try:
        return KeptApp.model_validate_json(text)
    except ValidationError as error:
        raise RepowrightError(
            "the App's credentials are damaged",
            where=str(place),
            hint="restore the file from a backup, or move it away to register a new App",
        ) from error
