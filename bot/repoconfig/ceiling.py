"""What a repository asks for, held to what the operator allows. Pure."""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.base import Data
from bot.config import Repository, Settings
from bot.repoconfig.fields import Path, Setting, settings_in
from bot.repoconfig.texts import tell
from bot.repoconfig.yamlfile import Problem, Wrong, YamlFile, read_yaml

_LONGEST_VALUE = 80


class Applied(Data):
    """The settings of a run in this repository, and what its file set: `name: value` each."""

    settings: Settings
    chosen: tuple[str, ...]


def apply_file(content: bytes, operator: Settings) -> Applied:
    """The operator's settings with those of the file; raise Wrong with all that is wrong."""
    file = read_yaml(content)
    known = {setting.path: setting for setting, _ in settings_in(Settings)}
    given = dict(_leaves(file.values, (), known))
    unknown = [_stranger(path, file, known) for path in given if not _may_set(path, known)]
    if unknown:
        raise Wrong(*unknown)
    settings = _merged(file, operator)
    problems = [
        Problem(line=file.line(path), text=text)
        for path in given
        if (text := _beyond(known[path], settings, operator))
    ]
    if problems:
        raise Wrong(*problems)
    return Applied(settings=_added(settings, operator, given), chosen=_chosen(given))


def may_set() -> list[Setting]:
    """The settings that a repository has a say in."""
    return [setting for setting, _ in settings_in(Settings) if setting.rule is not None]


def _leaves(table: Any, path: Path, known: dict[Path, Setting]) -> Iterator[tuple[Path, Any]]:
    """(path, value) of each setting that the file names, and of each name that is none."""
    groups = {p[:n] for p in known for n in range(len(p))}
    for name, value in table.items():
        inner = (*path, name)
        if inner in groups and isinstance(value, dict):
            yield from _leaves(value, inner, known)
        elif inner not in groups or value is not None:
            yield inner, value


def _may_set(path: Path, known: dict[Path, Setting]) -> bool:
    """A group that holds no table is left to the check of types."""
    if path in known:
        return known[path].rule is not None
    return any(p[: len(path)] == path and s.rule for p, s in known.items())


def _stranger(path: Path, file: YamlFile, known: dict[Path, Setting]) -> Problem:
    name = _short(".".join(path))
    if any(p[: len(path)] == path for p in known):
        return Problem(line=file.line(path), text=tell("operators", name=name))
    around = path[:-1]
    names = dict.fromkeys(
        p[len(around)] for p, s in known.items() if p[: len(around)] == around and s.rule
    )
    allowed = tell("allowed", names=", ".join(f"`{n}`" for n in names))
    return Problem(line=file.line(path), text=tell("unknown", name=name, allowed=allowed))


def _merged(file: YamlFile, operator: Settings) -> Settings:
    """Checked strictly, as JSON: `true` is no number and `"5"` is none."""
    values = operator.model_dump(mode="json")
    _lay(file.values, values)
    try:
        return Settings.model_validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        raise Wrong(*(_mistake(told, file) for told in error.errors())) from error


def _lay(over: dict[str, Any], values: dict[str, Any]) -> None:
    for name, value in over.items():
        if isinstance(value, dict) and isinstance(values.get(name), dict):
            _lay(value, values[name])
        elif value is not None or not isinstance(values.get(name), dict):
            values[name] = value


def _mistake(told: ErrorDetails, file: YamlFile) -> Problem:
    path = told["loc"]
    reason = told["msg"][:1].lower() + told["msg"][1:]
    if told["type"] == "string_pattern_mismatch":
        reason = tell("form")
    return Problem(
        line=file.line(path),
        text=tell(
            "wrong",
            name=_short(".".join(str(part) for part in path)),
            reason=reason,
            value=_short(json.dumps(told["input"], default=str, ensure_ascii=False)),
        ),
    )


def _beyond(setting: Setting, settings: Settings, operator: Settings) -> str:
    """Why a value is more than the operator allows, "" where it is not."""
    value, limit = _at(settings, setting.path), _at(operator, setting.path)
    shown = {"name": setting.name, "value": _short(_plain(value)), "limit": _plain(limit)}
    match setting.rule:
        case Repository.AT_MOST if limit is not None and value is None:
            return tell("unlimited", **shown)
        case Repository.AT_MOST if limit is not None and value > limit:
            return tell("over", **shown)
        case Repository.TURN_OFF if value and not limit:
            return tell("turned_off", **shown)
        case Repository.LISTED:
            return _unlisted(setting, value, operator)
    return ""


def _unlisted(setting: Setting, value: str | tuple[str, ...], operator: Settings) -> str:
    names = (value,) if isinstance(value, str) else value
    allowed = operator.repository_models
    own = (operator.model, *operator.fallback_models, _at(operator, setting.path))
    for name in names:
        listed = any(fnmatchcase(name, pattern) for pattern in allowed)
        if name and allowed and not listed and name not in own:
            limit = ", ".join(f"`{pattern}`" for pattern in allowed)
            return tell("model", name=setting.name, value=_short(name), limit=limit)
    return ""


def _added(settings: Settings, operator: Settings, given: dict[Path, Any]) -> Settings:
    """What may be added to stays with all that the operator set."""
    changes = {}
    for setting, _ in settings_in(Settings):
        if setting.rule is Repository.ADD and setting.path in given:
            (name,) = setting.path
            both = (*_at(operator, setting.path), *_at(settings, setting.path))
            changes[name] = tuple(dict.fromkeys(both))
    return settings.model_copy(update=changes)


def _chosen(given: dict[Path, Any]) -> tuple[str, ...]:
    return tuple(f"{'.'.join(path)}: {_short(_plain(value))}" for path, value in given.items())


def _at(settings: Settings, path: Path) -> Any:
    value: Any = settings
    for part in path:
        value = getattr(value, part)
    return value


def _plain(value: Any) -> str:
    """A value as the file would have it, on one line."""
    return value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)


def _short(text: str) -> str:
    """Fit for a sentence: no line breaks, no backticks, not long."""
    plain = " ".join(text.replace("`", "'").split())
    return plain if len(plain) <= _LONGEST_VALUE else f"{plain[:_LONGEST_VALUE]}…"
