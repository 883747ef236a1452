"""What is left to a person after the files are written: each step with its reason, its commands,
and how to see that it is done. Pure but for reading its own data file."""

import shlex
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import yaml
from jinja2 import Environment as Templates
from jinja2 import StrictUndefined

from bot.base import Data
from bot.starter.repository import CheckWorkflow, Target
from bot.starter.setups import Purpose, Setup


class Step(Data):
    """`page` is where the same can be done with a mouse, `address` that page's address or "";
    `check` is a command that `shows` what is said there, or "" where one has to look."""

    title: str
    why: str
    commands: tuple[str, ...]
    page: str
    address: str
    check: str
    shows: str


def steps_for(setup: Setup, purpose: Purpose, target: Target) -> tuple[Step, ...]:
    """The steps for a set-up, in order."""
    check = (target.check or CheckWorkflow()).name
    values = {
        "web": target.web,
        "api": f"repos/{target.name or '{owner}/{repo}'}",
        "name": target.name,
        "owner": target.name.partition("/")[0],
        "branch": target.default_branch,
        "check": check,
        "workflows": ", ".join(_workflows(purpose, check)),
        "permissions": ", ".join(f"{p.title} ({_level(p.level)})" for p in setup.permissions),
        "query": "".join(f"&{p.name.replace('-', '_')}={p.level}" for p in setup.permissions),
    }
    return tuple(
        _step(entry, values, target)
        for entry in _entries()
        if setup.name in entry.get("setups", [setup.name])
        and purpose in entry.get("for", [purpose])
    )


def _workflows(purpose: Purpose, check: str) -> Iterator[str]:
    """The workflows' names, as GitHub lists them."""
    if purpose.generates:
        yield "Repowright"
    if purpose.repairs:
        yield "Repowright repair"
    yield from (check, "Repowright review")


def _step(entry: dict[str, Any], values: dict[str, str], target: Target) -> Step:
    def filled(text: str) -> str:
        return _templates().from_string(text).render(values)

    address = filled(entry.get("address", ""))
    if "path" in entry and target.name:
        address = f"{target.web}/{target.name}/{entry['path']}"
    return Step(
        title=filled(entry["title"]),
        why=filled(entry["why"]),
        commands=tuple(map(filled, entry["commands"])),
        page=entry.get("page", ""),
        address=address,
        check=filled(entry.get("check", "")),
        shows=filled(entry["shows"]),
    )


def _level(level: str) -> str:
    return "read and write" if level == "write" else "read"


@cache
def _entries() -> tuple[dict[str, Any], ...]:
    source = resources.files("bot.starter").joinpath("steps.yaml").read_text("utf-8")
    return tuple(yaml.safe_load(source))


@cache
def _templates() -> Templates:
    templates = Templates(  # noqa: S701 - texts for a terminal
        variable_start_string="[[", variable_end_string="]]", undefined=StrictUndefined
    )
    templates.filters["sh"] = shlex.quote
    return templates
