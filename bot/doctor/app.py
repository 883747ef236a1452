"""The GitHub App: who it is, where it is installed, what it may do and what it hears of."""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.doctor.finding import Finding, Status, finding
from bot.forge.github.scout import AppReach
from bot.setup.app import Permission, app_needs


def examine_app(reach: AppReach) -> list[Finding]:
    """https://docs.github.com/en/rest/apps/apps#get-the-authenticated-app"""
    told = reach.identity()
    installations = reach.installations()
    granted = told.get("permissions") or {}
    return [
        _identity(told, len(reach.repositories())),
        *_installations(installations, granted),
        _permissions(granted),
        *_superfluous(granted),
        _events(told.get("events") or []),
    ]


def _identity(told: Any, repositories: int) -> Finding:
    slug = told["slug"]
    if repositories:
        return finding("credentials", Status.OK, "github_app", slug=slug, repositories=repositories)
    page = told.get("html_url", slug)
    return finding("credentials", Status.WARNING, "github_nowhere", slug=slug, page=page)


def _installations(rows: Iterable[Any], granted: Mapping[str, str]) -> list[Finding]:
    """Those that are suspended, and those whose owner has not accepted what the App asks for now.
    https://docs.github.com/en/apps/using-github-apps/approving-updated-permissions-for-a-github-app
    """
    found = []
    for row in rows:
        account, page = row["account"]["login"], row.get("html_url", "")
        if row.get("suspended_at"):
            found.append(
                finding("installation", Status.WARNING, "suspended", account=account, page=page)
            )
        lacking = app_needs().lacking(row.get("permissions") or {})
        waiting = [p for p in lacking if p not in app_needs().lacking(granted)]
        if waiting:
            names = _names(waiting)
            found.append(
                finding(
                    "installation", Status.FAIL, "waiting", account=account, names=names, page=page
                )
            )
    return found


def _permissions(granted: Mapping[str, str]) -> Finding:
    lacking = app_needs().lacking(granted)
    needed = [p for p in lacking if not p.optional]
    if needed:
        names = _names(needed)
        return finding("permissions", Status.FAIL, "permissions_lacking", lacking=names)
    if lacking:
        instead = " and ".join(p.without for p in lacking)
        return finding(
            "permissions",
            Status.WARNING,
            "permissions_optional",
            lacking=_names(lacking),
            instead=instead,
        )
    return finding("permissions", Status.OK, "permissions_ok")


def _superfluous(granted: Mapping[str, str]) -> list[Finding]:
    more = app_needs().superfluous(granted)
    if not more:
        return []
    names = ", ".join(f"{name}: {level}" for name, level in more.items())
    return [finding("spare permissions", Status.WARNING, "permissions_superfluous", names=names)]


def _events(subscribed: list[str]) -> Finding:
    lacking = ", ".join(e.name for e in app_needs().events if e.name not in subscribed)
    if lacking:
        return finding("events", Status.WARNING, "events_lacking", lacking=lacking)
    return finding("events", Status.OK, "events_ok")


def _names(permissions: Iterable[Permission]) -> str:
    return ", ".join(f"{p.name}: {p.level}" for p in permissions)
