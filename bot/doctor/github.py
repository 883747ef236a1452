"""The GitHub side: credentials, permissions, subscriptions, the webhook secret, the clocks."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import requests

from bot.base import RepowrightError
from bot.doctor.app import examine_app
from bot.doctor.finding import Finding, Status, finding, of_error
from bot.doctor.hook import examine_hook
from bot.doctor.repositories import examine_repositories
from bot.forge.github.client import GitHubClient
from bot.forge.github.credentials import AppKey
from bot.forge.github.scout import AppReach
from bot.serverconfig import (
    SECRET,
    TOKEN,
    Secrets,
    ServerSettings,
    credentials_of,
    read_secrets,
)

_SHORTEST_SECRET = 16
_MOST_SECONDS_OFF = 30.0
_TIMEOUT = 10.0


def examine_github(settings: ServerSettings, environ: Mapping[str, str]) -> list[Finding]:
    """Credentials that are not configured are skipped; wrong ones fail."""
    try:
        secrets = read_secrets(settings, environ)
    except RepowrightError as error:
        return [of_error("credentials", "github_refused", error)]
    if not (settings.app_id or secrets.token.get_secret_value()):
        return [
            finding("credentials", Status.SKIPPED, "github_skipped", variable=TOKEN),
            _webhook(secrets, configured=False),
            finding("clock", Status.SKIPPED, "clock_skipped"),
        ]
    return [
        *_credentials(settings, secrets),
        _webhook(secrets, configured=True),
        _clock(settings),
    ]


def _credentials(settings: ServerSettings, secrets: Secrets) -> list[Finding]:
    quick = settings.model_copy(update={"seconds_between_writes": 0.0})
    try:
        credentials = credentials_of(quick, secrets, 0)
        if isinstance(credentials, AppKey):
            return _app(quick, credentials)
        return _token(quick, secrets)
    except RepowrightError as error:
        return [of_error("credentials", "github_refused", error)]
    except (KeyError, TypeError):
        other = RepowrightError(
            "the answer is not from the GitHub API", where=settings.api_url, hint="check api_url"
        )
        return [of_error("credentials", "github_refused", other)]


def _app(settings: ServerSettings, key: AppKey) -> list[Finding]:
    reach = AppReach(_hasty(settings, "app/app"), key)
    found = examine_app(reach)
    clients = [
        GitHubClient(_hasty(settings, name), key.model_copy(update={"installation_id": number}))
        for name, number in reach.repositories()
        if not settings.repositories or name in settings.repositories
    ]
    return [*found, *examine_hook(reach), *examine_repositories(clients, settings.run)]


def _token(settings: ServerSettings, secrets: Secrets) -> list[Finding]:
    """https://docs.github.com/en/rest/repos/repos#get-a-repository"""
    credentials = credentials_of(settings, secrets, 0)
    clients = [GitHubClient(_hasty(settings, name), credentials) for name in settings.repositories]
    login = clients[0].source.login()
    closed = [c.settings.repository for c in clients if not _may_push(c)]
    who = finding("credentials", Status.OK, "github_account", login=login)
    if closed:
        names = ", ".join(closed)
        return [who, finding("permissions", Status.FAIL, "repositories_lacking", names=names)]
    may = finding("permissions", Status.OK, "repositories_ok", number=len(clients))
    return [who, may, *examine_repositories(clients, settings.run)]


def _may_push(client: GitHubClient) -> bool:
    try:
        told: Any = client.get(f"/repos/{client.settings.repository}")
    except RepowrightError:
        return False
    return bool((told.get("permissions") or {}).get("push"))


def _hasty(settings: ServerSettings, repository: str) -> Any:
    """A person waits for the answer."""
    return settings.github(repository).model_copy(
        update={"timeout": int(_TIMEOUT), "read_attempts": 1, "longest_wait": 0.0}
    )


def _webhook(secrets: Secrets, *, configured: bool) -> Finding:
    secret = secrets.webhook.get_secret_value()
    if not secret and configured:
        return finding("webhook", Status.FAIL, "webhook_missing", variable=SECRET)
    if not secret:
        return finding("webhook", Status.SKIPPED, "webhook_skipped", variable=SECRET)
    if len(secret) < _SHORTEST_SECRET:
        return finding("webhook", Status.WARNING, "webhook_short", length=len(secret))
    return finding("webhook", Status.OK, "webhook_ok")


def _clock(settings: ServerSettings) -> Finding:
    """Our clock against the header Date, which is exact to a second.
    https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
    """
    address = f"{settings.api_url.rstrip('/')}/meta"
    try:
        answer = requests.get(address, timeout=_TIMEOUT, allow_redirects=False)
        there = parsedate_to_datetime(answer.headers.get("Date", ""))
    except requests.RequestException:
        return finding("clock", Status.SKIPPED, "clock_unreachable")
    except ValueError:
        return finding("clock", Status.WARNING, "clock_untold")
    off = abs((datetime.now(UTC) - there).total_seconds())
    if off > _MOST_SECONDS_OFF:
        return finding("clock", Status.FAIL, "clock_off", seconds=off)
    return finding("clock", Status.OK, "clock_ok", seconds=off)
