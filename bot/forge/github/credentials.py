"""The three ways to be somebody on GitHub, each giving a token that is valid now."""

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

import jwt
from github.Auth import Auth
from jwt.exceptions import PyJWTError
from pydantic import SecretStr
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

from bot.base import Data
from bot.forge.github.errors import Refused, Unclear
from bot.forge.github.pace import TheirTime
from bot.forge.github.refusals import Barred
from bot.ports.forge import ForgeError

# Installation tokens live one hour; a git command that starts with one must be able to end.
# https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-an-installation-access-token-for-a-github-app
_LIFE = 3600.0
_RENEW_BEFORE = 600.0

# An App signs its requests for at most ten minutes; GitHub advises to date them a minute back.
# https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
_SIGNED_FOR = 540
_SIGNED_BACK = 60
_NOT_FOUND = 404
# A signature is made anew only where GitHub's clock is by so much another one than we thought.
_SAME_TIME = 30.0

Call = Callable[[str, str], Any]
"""Sends a request without input (verb, path) and returns the decoded answer."""


class GivenToken(Data):
    """A token that somebody else made: a personal access token, classic or fine-grained, an App's
    installation token, or the GITHUB_TOKEN of a workflow job."""

    token: SecretStr


class AppKey(Data):
    """A GitHub App: its id (or client id), its private key (PEM) and one installation."""

    app_id: str
    private_key: SecretStr
    installation_id: int


Credentials = GivenToken | AppKey


class TokenSource(Protocol):
    def token(self) -> str:
        """A token that is valid now."""
        ...

    def renew(self, token: str) -> bool:
        """Take note that GitHub does not accept this token; whether there is another one now."""
        ...

    def login(self) -> str:
        """The login under which what we write appears."""
        ...

    def secrets(self) -> tuple[str, ...]:
        """Everything that must not be shown."""
        ...


class FixedToken:
    """A token that somebody else renews; `ask` is used once, to learn whose it is."""

    def __init__(self, credentials: GivenToken, ask: Callable[[], str]) -> None:
        self._token = credentials.token.get_secret_value().strip()
        if not self._token:
            raise ForgeError(
                "No GitHub token is given", hint="set the token in the environment or settings"
            )
        self._login = ""
        self._ask = ask

    def token(self) -> str:
        return self._token

    def renew(self, token: str) -> bool:
        return False

    def login(self) -> str:
        if not self._login:
            self._login = self._ask()
        return self._login

    def secrets(self) -> tuple[str, ...]:
        return (self._token,)


class InstallationToken:
    """Installation tokens of an App, renewed ten minutes before they end, or when GitHub does not
    accept one; `ask` sends requests as the App itself, `time` is GitHub's clock."""

    def __init__(self, key: AppKey, ask: Call, time: TheirTime) -> None:
        self._key = key
        self._ask = ask
        self._time = time
        self._lock = threading.Lock()
        self._token = ""
        self._expires = 0.0
        self._login = ""

    def token(self) -> str:
        with self._lock:
            if self._time.now() > self._expires - _RENEW_BEFORE:
                self._mint()
            return self._token

    def renew(self, token: str) -> bool:
        """A fresh token, unless somebody has asked for it since `token` was sent."""
        with self._lock:
            if token == self._token:
                self._mint()
            return True

    def _mint(self) -> None:
        """One token too many harms nobody, so this write alone may be repeated blindly."""
        path = f"/app/installations/{self._key.installation_id}/access_tokens"
        attempts = Retrying(
            stop=stop_after_attempt(3), retry=retry_if_exception_type(Unclear), reraise=True
        )
        try:
            answer = attempts(self._ask, "POST", path)
        except Refused as refusal:
            if refusal.status != _NOT_FOUND:
                raise
            what, hint = "The GitHub App is not installed here any more", "install it again"
            raise Barred(
                _NOT_FOUND, what, bar="uninstalled", where=refusal.where, hint=hint
            ) from None
        try:
            token, ends = str(answer["token"]), datetime.fromisoformat(answer["expires_at"])
        except (LookupError, TypeError, ValueError) as error:
            what, hint = "GitHub gave no installation token", "check any proxy in between"
            raise ForgeError(what, where=f"POST {path}", hint=hint) from error
        self._token = token
        self._expires = min(ends.timestamp(), self._time.now() + _LIFE)

    def login(self) -> str:
        if not self._login:
            self._login = f"{self._ask('GET', '/app')['slug']}[bot]"
        return self._login

    def secrets(self) -> tuple[str, ...]:
        return (self._token, self._key.private_key.get_secret_value())


class FreshAuth(Auth):
    """PyGithub's way to ask for a token, once per request."""

    def __init__(self, source: Callable[[], str]) -> None:
        self._source = source

    @property
    def token_type(self) -> str:
        return "token"

    @property
    def token(self) -> str:
        return self._source()


class AppSignature(Auth):
    """The App itself, for minting tokens: a JWT of GitHub's time, signed anew for each request."""

    def __init__(self, key: AppKey, time: TheirTime) -> None:
        """Raise ForgeError where the key cannot sign."""
        self._issuer = key.app_id
        self._key = key.private_key.get_secret_value()
        self._time = time
        self._ahead = 0.0
        try:
            self._signed()
        except (PyJWTError, ValueError, TypeError):
            raise ForgeError(
                "The private key of the GitHub App cannot be used",
                hint="give the whole PEM file that GitHub made for the App",
            ) from None

    @property
    def token_type(self) -> str:
        return "Bearer"

    @property
    def token(self) -> str:
        return self._signed()

    def renew(self, token: str) -> bool:
        """Whether GitHub's clock, which its refusal told, makes for another signature."""
        before, self._ahead = self._ahead, self._time.ahead
        return abs(self._ahead - before) > _SAME_TIME

    def _signed(self) -> str:
        now = int(self._time.now())
        claims = {"iat": now - _SIGNED_BACK, "exp": now + _SIGNED_FOR, "iss": self._issuer}
        return jwt.encode(claims, self._key, algorithm="RS256")
