"""Looks a repository over from outside the runs, and finds all repositories of a credential."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from bot.forge.github.client import GitHubClient, app_transport, renewal_of
from bot.forge.github.credentials import AppKey, FreshAuth, InstallationToken
from bot.forge.github.errors import Refused
from bot.forge.github.marks import mark_line
from bot.forge.github.pace import OF_THE_APP, Clock, Pacer, TheirTime
from bot.forge.github.pages import rows
from bot.forge.github.promises import held_to_promises
from bot.forge.github.transport import Transport, TransportSettings
from bot.forge.github.watch import Watch, account_of
from bot.ports.meter import Meter, Unmetered
from bot.ports.scout import Attempt, Labelling, Saying
from bot.redaction import Redactor

_PAGE = 100
_RUNS = "refs/repowright/"


@held_to_promises
class GitHubScout:
    """Implements bot.ports.scout.Scout; all its requests are conditional."""

    def __init__(self, client: GitHubClient) -> None:
        self._client = client

    def labelled(self, label: str) -> tuple[int, ...]:
        """https://docs.github.com/en/rest/issues/issues#list-repository-issues"""
        found = self._rows("/issues", state="open", labels=label)
        return tuple(int(row["number"]) for row in found if "pull_request" not in row)

    def labelling(self, issue: int, label: str) -> Labelling | None:
        """https://docs.github.com/en/rest/issues/events#list-issue-events"""
        found = None
        for row in self._rows(f"/issues/{issue}/events"):
            name = str((row.get("label") or {}).get("name", ""))
            if row["event"] == "labeled" and name.casefold() == label.casefold():
                found = row
        if found is None:
            return None
        actor = found.get("actor") or {}
        return Labelling(
            by=str(actor.get("login", "")),
            by_bot=actor.get("type") == "Bot",
            at=datetime.fromisoformat(found["created_at"]),
        )

    def sayings(self, since: datetime) -> tuple[Saying, ...]:
        """https://docs.github.com/en/rest/issues/comments#list-issue-comments-for-a-repository"""
        start = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        found = self._rows("/issues/comments", sort="updated", direction="asc", since=start)
        return tuple(_saying(row) for row in found if not self._by_bot(row))

    def run_refs(self) -> dict[int, str]:
        """https://docs.github.com/en/rest/git/refs#list-matching-references"""
        try:
            found = list(self._rows("/git/matching-refs/repowright/"))
        except Refused as refusal:
            if refusal.status == 409:
                return {}
            raise
        named = ((str(row["ref"]).removeprefix(_RUNS), row) for row in found)
        return {int(name): str(row["object"]["sha"]) for name, row in named if name.isdecimal()}

    def workflow_attempt(self, run_id: int) -> Attempt | None:
        """https://docs.github.com/en/rest/actions/workflow-runs#get-a-workflow-run"""
        try:
            found = self._client.get(f"{self._client.repository.url}/actions/runs/{run_id}")
        except Refused as refusal:
            if refusal.status == 404:
                return None
            raise
        return Attempt(number=found["run_attempt"], ended=found["status"] == "completed")

    def _by_bot(self, row: Any) -> bool:
        user = row.get("user") or {}
        ours = bool(mark_line(row.get("body"))) and self._client.is_me(str(user.get("login", "")))
        by_app = bool(row.get("performed_via_github_app"))
        return user.get("type") == "Bot" or by_app or ours

    def _rows(self, path: str, **parameters: Any) -> Iterator[Any]:
        return rows(self._client.transport, self._client.repository.url + path, **parameters)


def _saying(row: Any) -> Saying:
    return Saying(
        id=row["id"],
        number=int(str(row["issue_url"]).rpartition("/")[2]),
        on_pull="/pull/" in str(row["html_url"]),
        body=row.get("body") or "",
        created_at=datetime.fromisoformat(row["created_at"]),
        edited=row["updated_at"] != row["created_at"],
    )


@held_to_promises
class AppReach:
    """Every repository on which an App is installed; implements bot.ports.scout.Reach."""

    def __init__(
        self, settings: TransportSettings, key: AppKey, meter: Meter | None = None
    ) -> None:
        """The key's own installation is not looked at."""
        self._meter = meter or Unmetered()
        self._settings = settings
        self._key = key
        self._clock = Clock()
        self._time = TheirTime(self._clock)
        self._app = app_transport(settings, key, self._clock, self._time, Watch(self._meter))
        self._lock = threading.Lock()
        self._installed: dict[int, Transport] = {}

    def repositories(self) -> tuple[tuple[str, int], ...]:
        """https://docs.github.com/en/rest/apps/apps#list-installations-for-the-authenticated-app
        https://docs.github.com/en/rest/apps/installations#list-repositories-accessible-to-the-app-installation
        """
        active = (i for i in rows(self._app, "/app/installations") if not _suspended(i))
        return tuple(
            (str(row["full_name"]), int(installation["id"]))
            for installation in active
            for row in rows(
                self._inside(int(installation["id"])),
                "/installation/repositories",
                key="repositories",
            )
            if not row.get("archived")
        )

    def installation(self, repository: str) -> int:
        """https://docs.github.com/en/rest/apps/apps#get-a-repository-installation-for-the-authenticated-app"""
        return int(self._get(self._app, f"/repos/{repository}/installation")["id"])

    def identity(self) -> Any:
        """The App as GitHub describes it: slug, permissions, events."""
        return self._get(self._app, "/app")

    def installations(self) -> tuple[Any, ...]:
        """https://docs.github.com/en/rest/apps/apps#list-installations-for-the-authenticated-app"""
        return tuple(rows(self._app, "/app/installations"))

    def hook(self) -> Any:
        """Where GitHub delivers: url, content type, whether certificates are checked.
        https://docs.github.com/en/rest/apps/webhooks#get-a-webhook-configuration-for-an-app
        """
        return self._get(self._app, "/app/hook/config")

    def deliveries(self) -> tuple[Any, ...]:
        """The last deliveries, newest first.
        https://docs.github.com/en/rest/apps/webhooks#list-deliveries-for-an-app-webhook
        """
        return tuple(self._get(self._app, f"/app/hook/deliveries?per_page={_PAGE}"))

    def redeliver(self, delivery: int) -> None:
        """https://docs.github.com/en/rest/apps/webhooks#redeliver-a-delivery-for-an-app-webhook"""
        self._get(self._app, f"/app/hook/deliveries/{delivery}/attempts", "POST")

    def _inside(self, installation: int) -> Transport:
        with self._lock:
            if installation not in self._installed:
                key = self._key.model_copy(update={"installation_id": installation})
                source = InstallationToken(
                    key, lambda verb, path: self._get(self._app, path, verb), self._time
                )
                self._installed[installation] = self._transport(source, account_of(key))
            return self._installed[installation]

    def _transport(self, source: InstallationToken, account: str) -> Transport:
        return Transport(
            FreshAuth(source.token),
            self._settings,
            pacer=Pacer(OF_THE_APP, clock=self._clock),
            clock=self._clock,
            redactor=Redactor(source.secrets),
            time=self._time,
            renewal=renewal_of(source),
            watch=Watch(self._meter, account),
        )

    @staticmethod
    def _get(transport: Transport, path: str, verb: str = "GET") -> Any:
        return transport.requestJsonAndCheck(verb, path)[1]


def _suspended(installation: Any) -> bool:
    return bool(installation.get("suspended_at"))


class NamedReach:
    """The repositories that the settings name, for a credential that is no App."""

    def __init__(self, repositories: tuple[str, ...]) -> None:
        self._repositories = repositories

    def repositories(self) -> tuple[tuple[str, int], ...]:
        return tuple((name, 0) for name in self._repositories)

    def installation(self, repository: str) -> int:
        return 0
