"""Which packages a project asks for; requirement lines come from a specification or a model and
are hostile."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from bot.base import RepowrightError

_MOST_LINES = 100
_LONGEST_LINE = 300
_HINT = "give a package name with an optional version, such as `requests>=2.31`"


class RequirementRefused(RepowrightError):
    """A requirement line that is not just a package and its versions."""


def clean_requirements(lines: Iterable[str], *, where: str = "requirements") -> tuple[str, ...]:
    """The requirement lines in one spelling, sorted, without comments and doubles.

    Options, addresses, paths and editable installs are refused (RequirementRefused): they would
    let a project run code at its installation, or name where packages come from.
    https://packaging.python.org/en/latest/specifications/dependency-specifiers/
    """
    found: dict[str, None] = {}
    for number, raw in enumerate(lines, start=1):
        line = _without_comment(raw)
        if not line:
            continue
        found[str(_parsed(line, f"{where}:{number}"))] = None
        if len(found) > _MOST_LINES:
            raise RequirementRefused(f"there are more than {_MOST_LINES} requirements", where=where)
    return tuple(sorted(found, key=str.lower))


def project_requirements(files: Mapping[str, bytes], extras: Iterable[str] = ()) -> tuple[str, ...]:
    """What the repository's requirements.txt and pyproject.toml ask for; () where neither does.

    Where both exist they add up. The project's own name is left out, since its own code is tested
    and not a published package of that name. `extras` are names of optional dependencies or
    dependency groups of pyproject.toml.
    """
    lines: list[str] = []
    if "requirements.txt" in files:
        text = _decoded(files["requirements.txt"], "requirements.txt")
        lines += clean_requirements(text.splitlines(), where="requirements.txt")
    own = ""
    if "pyproject.toml" in files:
        document = _document(files["pyproject.toml"])
        project = _table(document, "project")
        own = canonicalize_name(str(project.get("name", "")))
        dependencies = project.get("dependencies", [])
        if not isinstance(dependencies, list):
            raise RequirementRefused("`dependencies` is not a list", where="pyproject.toml")
        lines += clean_requirements(map(str, dependencies), where="pyproject.toml")
        lines += clean_requirements(_extras(document, extras), where="pyproject.toml")
    elif tuple(extras):
        raise RequirementRefused("there is no pyproject.toml with extras", where="pyproject.toml")
    kept = [line for line in lines if canonicalize_name(Requirement(line).name) != own]
    return clean_requirements(kept)


def _without_comment(raw: str) -> str:
    line = raw.strip().removeprefix("\ufeff")
    return "" if line.startswith("#") else line.split(" #", 1)[0].strip()


def _parsed(line: str, where: str) -> Requirement:
    shown = line[:80]
    if len(line) > _LONGEST_LINE:
        raise RequirementRefused(
            f"a requirement is longer than {_LONGEST_LINE} characters", where=where
        )
    if line.startswith("-"):
        raise RequirementRefused(f"{shown!r} is an option of pip", where=where, hint=_HINT)
    try:
        requirement = Requirement(line)
    except InvalidRequirement as error:
        raise RequirementRefused(
            f"{shown!r} is not a requirement", where=where, hint=_HINT
        ) from error
    if requirement.url is not None:
        raise RequirementRefused(f"{shown!r} names an address", where=where, hint=_HINT)
    return requirement


def _extras(document: Mapping[str, Any], wanted: Iterable[str]) -> Iterator[str]:
    """The lines of extras and groups, and of those that they name in turn.
    https://packaging.python.org/en/latest/specifications/dependency-groups/
    """
    project = _table(document, "project")
    own = canonicalize_name(str(project.get("name", "")))
    tables = (_table(project, "optional-dependencies"), _table(document, "dependency-groups"))
    known = {canonicalize_name(name): lines for table in tables for name, lines in table.items()}
    waiting, seen = [canonicalize_name(name) for name in wanted], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if not isinstance(known.get(name), list):
            named = ", ".join(f"`{one}`" for one in known) or "none"
            raise RequirementRefused(
                f"there is no extra or group `{name}`",
                where="pyproject.toml",
                hint=f"there is {named}",
            )
        for line in known[name]:
            if isinstance(line, dict):
                waiting.append(canonicalize_name(str(line.get("include-group", ""))))
                continue
            yield str(line)
            asked = _parsed(str(line).strip(), "pyproject.toml")
            if canonicalize_name(asked.name) == own:
                waiting += map(canonicalize_name, asked.extras)


def _document(content: bytes) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_decoded(content, "pyproject.toml"))
    except tomllib.TOMLDecodeError as error:
        raise RequirementRefused(f"it is not TOML: {error}", where="pyproject.toml") from error


def _table(around: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = around.get(name, {})
    return table if isinstance(table, dict) else {}


def _decoded(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequirementRefused("it is not UTF-8 text", where=where) from error
