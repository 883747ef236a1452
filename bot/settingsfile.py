"""YAML files of settings, and what is said of a setting that is wrong."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from bot.base import RepowrightError
from bot.config import Settings


def wrong_setting(error: ValidationError, where: str) -> RepowrightError:
    """The first thing that is wrong with settings from `where`."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] != "extra_forbidden":
        return RepowrightError(f"the setting `{place}` is wrong: {first['msg']}", where=where)
    hint = "docs/configuration.md names them all"
    if place in Settings.model_fields:
        hint = "it is one of a run's: put it under `run:`"
    return RepowrightError(f"there is no setting `{place}`", where=where, hint=hint)


def settings_table(file: Path) -> dict[str, Any]:
    """What a YAML file of settings holds; raise RepowrightError where that is no table."""
    try:
        return _table(file.read_text("utf-8"), str(file))
    except OSError as error:
        problem = f"the settings cannot be read: {error.strerror}"
        raise RepowrightError(problem, where=str(file)) from error
    except UnicodeDecodeError as error:
        raise RepowrightError("the settings are not UTF-8 text", where=str(file)) from error


def settings_of_text(text: str, where: str) -> Settings:
    """A run's settings from YAML text; raise RepowrightError naming the one that is wrong."""
    try:
        return Settings.model_validate(_table(text, where))
    except ValidationError as error:
        raise wrong_setting(error, where) from error


def _table(text: str, where: str) -> dict[str, Any]:
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        mark = getattr(error, "problem_mark", None)
        line = f" in line {mark.line + 1}" if mark else ""
        raise RepowrightError(f"the settings are not YAML{line}: {problem}", where=where) from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise RepowrightError("the settings are no table of names and values", where=where)
    return {str(name): value for name, value in values.items()}
