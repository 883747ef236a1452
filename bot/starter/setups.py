"""The three ways to give the bot's jobs their permissions, from their data file."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Literal

import yaml

from bot.base import Data


class SetupName(StrEnum):
    APP = "app"
    TOKEN = "token"  # noqa: S105 - a name
    ACTIONS = "actions"


class Purpose(StrEnum):
    """What the workflows are for: building what issues specify, mending what fails, or both."""

    GENERATE = "generate"
    REPAIR = "repair"
    BOTH = "both"

    @property
    def generates(self) -> bool:
        return self is not Purpose.REPAIR

    @property
    def repairs(self) -> bool:
        return self is not Purpose.GENERATE


class Permission(Data):
    """One permission as workflows spell it, and why it is needed."""

    name: str
    level: Literal["read", "write"]
    why: str

    @property
    def title(self) -> str:
        """The name as GitHub's pages have it."""
        if self.name == "statuses":
            return "Commit statuses"
        return self.name.replace("-", " ").capitalize()


class Setup(Data):
    """One set-up; see setups.yaml. Times in minutes."""

    name: SetupName
    title: str
    meaning: str
    token: str
    checks: Literal["workflow", "job"]
    job_permissions: bool
    minutes: int
    timeout: int
    permissions: tuple[Permission, ...]


@cache
def setups() -> Mapping[SetupName, Setup]:
    source = resources.files("bot.starter").joinpath("setups.yaml").read_text("utf-8")
    table = yaml.safe_load(source)
    return {
        SetupName(name): Setup.model_validate({"name": name, **facts})
        for name, facts in table.items()
    }
