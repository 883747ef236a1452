"""The GitHub App as data: what it may do, what it hears of, and the manifest made from both."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml

from bot.base import Data

Level = Literal["read", "write"]
_LEVELS = ("read", "write", "admin")


class Permission(Data):
    """One permission. Where it is `optional`, `without` says what to do instead."""

    name: str
    level: Level
    why: str
    optional: bool = False
    without: str = ""


class Subscription(Data):
    """One webhook event, and what it tells."""

    name: str
    why: str


class AppNeeds(Data):
    """Everything that the App needs."""

    description: str
    permissions: tuple[Permission, ...]
    events: tuple[Subscription, ...]

    def lacking(self, granted: Mapping[str, str]) -> tuple[Permission, ...]:
        """Needed permissions that are not granted, or not high enough."""
        return tuple(p for p in self.permissions if not _enough(granted.get(p.name), p.level))

    def superfluous(self, granted: Mapping[str, str]) -> dict[str, str]:
        """What is granted beyond the needs: `{permission: level}`."""
        needed = {p.name: p.level for p in self.permissions}
        return {
            name: level
            for name, level in granted.items()
            if name not in needed or (level != needed[name] and _enough(level, needed[name]))
        }


@cache
def app_needs() -> AppNeeds:
    source = resources.files("bot.setup").joinpath("app.yaml").read_text("utf-8")
    return AppNeeds.model_validate(yaml.safe_load(source))


def manifest(*, name: str, home: str, webhook: str, redirect: str, installed: str) -> Any:
    """The manifest of an App that only its owner can install; addresses are complete.
    https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
    """
    needs = app_needs()
    return {
        "name": name,
        "description": needs.description,
        "url": home,
        "hook_attributes": {"url": webhook, "active": True},
        "redirect_url": redirect,
        "setup_url": installed,
        "setup_on_update": False,
        "public": False,
        "request_oauth_on_install": False,
        "default_permissions": {p.name: p.level for p in needs.permissions},
        "default_events": [event.name for event in needs.events],
    }


def _enough(has: str | None, level: str) -> bool:
    return has in _LEVELS and _LEVELS.index(has) >= _LEVELS.index(level)
