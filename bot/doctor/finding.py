"""What the doctor finds: data, and the texts that go with it."""

from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

import yaml

from bot.base import Data, RepowrightError


class Status(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAIL = "fail"
    SKIPPED = "skipped"


class Finding(Data):
    """One check: its name, how it went, what was found and what to do ("" for nothing)."""

    name: str
    status: Status
    found: str
    todo: str


def finding(name: str, status: Status, key: str, /, **values: Any) -> Finding:
    """A finding with the texts of `texts.yaml`; raise KeyError where a name is missing."""
    text = _texts()[key]
    return Finding(
        name=name,
        status=status,
        found=text["found"].format(**values),
        todo=text["todo"].format(**values),
    )


def of_error(
    name: str,
    key: str,
    error: RepowrightError,
    instead: str = "",
    status: Status = Status.FAIL,
) -> Finding:
    """What an error tells of; `instead` is what to do where it does not say."""
    where = f"{error.where}: " if error.where else ""
    todo = error.hint or instead
    return Finding(
        name=name,
        status=status,
        found=_texts()[key]["found"].format(problem=where + error.what),
        todo=_texts()[key]["todo"].format(hint=f"{todo[:1].upper()}{todo[1:]}." if todo else ""),
    )


@cache
def _texts() -> dict[str, dict[str, str]]:
    source = resources.files("bot.doctor").joinpath("texts.yaml").read_text("utf-8")
    table: dict[str, dict[str, str]] = yaml.safe_load(source)
    return table
