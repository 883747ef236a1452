"""Whether a workflow's `on` asks for an event: activity types and filters for branches, tags and
paths. Pure.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from bot.base import Data

# https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
_DEFAULT_TYPES: Mapping[str, tuple[str, ...]] = {
    "pull_request": ("opened", "synchronize", "reopened"),
    "pull_request_target": ("opened", "synchronize", "reopened"),
}
_PULLS = ("pull_request", "pull_request_target")
_SKIP = re.compile(
    r"\[(skip ci|ci skip|no ci|skip actions|actions skip)\]|^skip-checks: ?true$", re.M
)


class Occasion(Data):
    """An event as filters see it. `branch` is the pushed branch, or the base branch of a pull
    request, or the branch of a completed workflow run; `paths` are the changed files, None where
    nobody can tell; `workflow` is the name of the run that completed."""

    event: str
    action: str | None = None
    branch: str | None = None
    tag: str | None = None
    paths: tuple[str, ...] | None = None
    message: str = ""
    workflow: str = ""


def wanted(on: Mapping[str, Any], occasion: Occasion) -> bool:
    """`on` maps each event to its settings, as `store.actions.triggers` reads them."""
    if occasion.event not in on:
        return False
    settings = on[occasion.event]
    settings = settings if isinstance(settings, dict) else {}
    if occasion.event in ("push", *_PULLS) and _SKIP.search(occasion.message):
        return False
    return (
        _type_fits(settings, occasion)
        and _workflow_fits(settings, occasion)
        and _ref_fits(settings, occasion)
        and _paths_fit(settings, occasion)
    )


def matches(patterns: Sequence[str], name: str) -> bool:
    """Whether the last pattern that matches `name` is one without `!` in front.

    https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
    """
    found = False
    for pattern in patterns:
        if pattern.startswith("!"):
            found = found and not _compiled(pattern[1:]).fullmatch(name)
        else:
            found = found or _compiled(pattern).fullmatch(name) is not None
    return found


def _type_fits(settings: Mapping[str, Any], occasion: Occasion) -> bool:
    types = _listed(settings.get("types")) or list(_DEFAULT_TYPES.get(occasion.event, ()))
    return not types or occasion.action in types


def _workflow_fits(settings: Mapping[str, Any], occasion: Occasion) -> bool:
    if occasion.event != "workflow_run":
        return True
    return matches(_listed(settings.get("workflows")), occasion.workflow)


def _ref_fits(settings: Mapping[str, Any], occasion: Occasion) -> bool:
    """Push filters for branches alone leave tags out, those for tags alone leave branches out."""
    if occasion.event == "push":
        kinds = ("branches", "branches-ignore"), ("tags", "tags-ignore")
        on_branches, on_tags = (any(key in settings for key in kind) for kind in kinds)
        if occasion.tag is not None:
            return _name_fits(settings, "tags", occasion.tag) if on_tags else not on_branches
        if on_tags and not on_branches:
            return False
    if occasion.branch is None:
        return True
    return _name_fits(settings, "branches", occasion.branch)


def _name_fits(settings: Mapping[str, Any], key: str, name: str) -> bool:
    if key in settings:
        return matches(_listed(settings[key]), name)
    if f"{key}-ignore" in settings:
        return not matches(_listed(settings[f"{key}-ignore"]), name)
    return True


def _paths_fit(settings: Mapping[str, Any], occasion: Occasion) -> bool:
    """One changed file that fits is enough; pushes of tags have no paths."""
    if occasion.paths is None or occasion.tag is not None:
        return True
    if "paths" in settings:
        patterns = _listed(settings["paths"])
        return any(matches(patterns, path) for path in occasion.paths)
    if "paths-ignore" in settings:
        patterns = _listed(settings["paths-ignore"])
        return any(not matches(patterns, path) for path in occasion.paths)
    return True


def _listed(value: Any) -> list[str]:
    if value is None or value == "":
        return []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """`*` stays within a folder, `**` does not; `?`, `+` and `[]` mean what they do in a regex. A
    pattern that is no valid expression matches itself alone."""
    pieces = re.findall(r"\*\*/|\*\*|\*|\\.|\[[^\]]*\]|.", pattern)
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "?", "+": "+"}
    expression = "".join(
        meanings.get(piece) or (piece if piece.startswith("[") else re.escape(piece[-1]))
        for piece in pieces
    )
    try:
        return re.compile(expression)
    except re.error:
        return re.compile(re.escape(pattern))
