"""The repositories: their settings, whether Actions run there, and rules that stop the bot."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.base import RepowrightError
from bot.config import Settings
from bot.doctor.finding import Finding, Status, finding
from bot.forge.github.client import GitHubClient
from bot.forge.github.errors import Refused
from bot.runs.repository import PLACE, SettingsRefused, settings_here

MOST = 20
_BRANCH = "repowright/0-doctor"
# Rules of a branch that a push of the bot's own commits can break.
# https://docs.github.com/en/rest/repos/rules#get-rules-for-a-branch
_STOPPING = {
    "creation",
    "update",
    "pull_request",
    "required_signatures",
    "branch_name_pattern",
    "commit_message_pattern",
    "commit_author_email_pattern",
    "committer_email_pattern",
    "file_path_restriction",
    "merge_queue",
}


def examine_repositories(clients: Sequence[GitHubClient], run: Settings) -> list[Finding]:
    """Looks at the first `MOST` of them."""
    looked = clients[:MOST]
    return [
        _settings(looked, run),
        _actions(looked, run),
        _rules(looked),
        *_left_out(len(clients)),
    ]


def stopping(rules: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The kinds of rules that would stop a push, sorted."""
    return tuple(sorted({str(rule["type"]) for rule in rules} & _STOPPING))


def _settings(clients: Sequence[GitHubClient], run: Settings) -> Finding:
    """https://docs.github.com/en/rest/repos/contents#get-repository-content"""
    number = 0
    for client in clients:
        name = client.settings.repository
        told = _asked(client, f"/contents/{PLACE}")
        if told is None:
            continue
        number += 1
        try:
            settings_here({PLACE: base64.b64decode(told.get("content") or "")}, run)
        except SettingsRefused as error:
            lines = "; ".join(f"line {p.line}: {p.text}" for p in error.problems)
            return finding(
                "repository settings", Status.FAIL, "settings_wrong", name=name, lines=lines
            )
    return finding("repository settings", Status.OK, "settings_ok", number=number)


def _actions(clients: Sequence[GitHubClient], run: Settings) -> Finding:
    off = [c.settings.repository for c in clients if _actions_off(c, run.checks.workflow)]
    if off:
        return finding("actions", Status.FAIL, "actions_off", names=", ".join(off))
    return finding("actions", Status.OK, "actions_ok")


def _actions_off(client: GitHubClient, workflow: str) -> bool:
    """What an App without administration can see: its own workflow, once there is one.
    https://docs.github.com/en/rest/actions/permissions#get-github-actions-permissions-for-a-repository
    https://docs.github.com/en/rest/actions/workflows#get-a-workflow
    """
    told = _asked(client, "/actions/permissions")
    if told is not None:
        return told.get("enabled") is False
    own = _asked(client, f"/actions/workflows/{workflow}")
    return own is not None and str(own.get("state", "")).startswith("disabled")


def _rules(clients: Sequence[GitHubClient]) -> Finding:
    for client in clients:
        told = _asked(client, f"/rules/branches/{_BRANCH}")
        kinds = stopping(told or [])
        if kinds:
            return finding(
                "branches",
                Status.FAIL,
                "rules_stop",
                name=client.settings.repository,
                rules=", ".join(kinds),
            )
    return finding("branches", Status.OK, "rules_ok")


def _left_out(number: int) -> list[Finding]:
    if number <= MOST:
        return []
    return [finding("repositories", Status.SKIPPED, "repositories_left", number=number - MOST)]


def _asked(client: GitHubClient, path: str) -> Any:
    """The answer about the repository, None where GitHub has none for this credential."""
    try:
        return client.get(f"/repos/{client.settings.repository}{path}")
    except Refused as refused:
        if refused.status in (403, 404):
            return None
        raise
    except RepowrightError:
        return None
