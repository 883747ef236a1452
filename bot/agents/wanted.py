"""Which packages an agent may add: those that a document or a person names, and known ones; never
test tools, look-alikes or what nobody has heard of."""

import re
import tomllib
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files

import yaml
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from bot.base import Data
from bot.spec.dependencies import stated_requirements
from bot.spec.model import Spec
from bot.verify.imports import distributions

_LONGEST_LINE = 200
_SHORTEST_ALIKE = 4
# pytest loads every installed plugin, and these make or measure the environment.
_TEST_TOOL = re.compile(r"pytest(-.*)?|.*-pytest|pluggy|coverage|hypothesis|pip|setuptools|wheel")
_IN_BACKTICKS = re.compile(r"`([^`\n]{1,200})`")
_REQUIREMENTS = re.compile(r"(?:requirements[\w-]*|constraints)\.(?:txt|in)|pyproject\.toml")


class Refusal(Data):
    """A requirement line that is not added, and why."""

    line: str
    why: str


class Choice(Data):
    kept: tuple[str, ...]
    refused: tuple[Refusal, ...]


@cache
def known_packages() -> frozenset[str]:
    """Normalised names (PEP 503) of the packages that need nobody's leave."""
    text = (files("bot.agents") / "known-packages.yaml").read_text(encoding="utf-8")
    return frozenset(name for group in yaml.safe_load(text).values() for name in group)


def named_packages(spec: Spec, allow: Iterable[str] = (), wishes: str = "") -> frozenset[str]:
    """Normalised names that people stand for: the specification's requirements, the settings'
    `allow`, and what a maintainer's wish has in backticks."""
    lines = (*spec.requirements, *stated_requirements(spec.sections), *allow)
    return distributions((*lines, *_IN_BACKTICKS.findall(wishes)))


def wanted(lines: Iterable[str], named: Collection[str] = ()) -> Choice:
    """Sort requirement lines into those that may be added and those that may not; `named` are
    the packages that people stand for."""
    kept: list[str] = []
    refused: list[Refusal] = []
    for line in dict.fromkeys(line.strip() for line in lines):
        why = objection(line, named)
        if why:
            refused.append(Refusal(line=line[:_LONGEST_LINE], why=why))
        else:
            kept.append(line)
    return Choice(kept=tuple(kept), refused=tuple(refused))


def objection(line: str, named: Collection[str]) -> str:
    """Why a requirement line may not be added; "" where it may."""
    try:
        requirement = Requirement(line) if len(line) <= _LONGEST_LINE else None
    except InvalidRequirement:
        requirement = None
    if requirement is None or requirement.url is not None or requirement.marker is not None:
        return "it is no plain package with its versions"
    name = canonicalize_name(requirement.name)
    if _TEST_TOOL.fullmatch(name):
        return "it could change how the check tests run"
    if name in named or name in known_packages():
        return ""
    near = lookalike(name, {*named, *known_packages()})
    if near:
        return f"its name is nearly that of `{near}`, and nobody has named it"
    return (
        "neither the specification nor the list of known packages names it; a maintainer may name"
        " it in the requirements, in the settings under `dependencies.allow`, or in a"
        " `revise` comment, in backticks"
    )


def lookalike(name: str, known: Collection[str]) -> str:
    """The known name that differs from `name` by one slip of the hand, or by its hyphens; "" where
    there is none. That is how packages are named that hope to be installed by mistake."""
    if name in known or len(name) < _SHORTEST_ALIKE:
        return ""
    joined = name.replace("-", "")
    return next(
        (k for k in sorted(known) if joined == k.replace("-", "") or _one_slip_apart(name, k)), ""
    )


def _one_slip_apart(a: str, b: str) -> bool:
    """Whether one insertion, deletion, substitution or swap of neighbours makes one the other."""
    if len(a) > len(b):
        a, b = b, a
    if len(b) - len(a) > 1 or len(a) < _SHORTEST_ALIKE - 1:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    rest_a, rest_b = a[start:], b[start:]
    if len(a) < len(b):
        return rest_a == rest_b[1:]
    swapped = rest_a[1:2] + rest_a[:1] + rest_a[2:]
    return rest_a[1:] == rest_b[1:] or swapped == rest_b


def asks_for(path: str, text: str) -> tuple[str, ...]:
    """The requirement lines of a file from which the check tests' environment is made, or that
    people install from; () for other files, and for one that is no TOML."""
    if not _REQUIREMENTS.fullmatch(path.rpartition("/")[2].lower()):
        return ()
    if not path.endswith(".toml"):
        lines = (line.partition(" #")[0].strip() for line in text.splitlines())
        return tuple(line for line in lines if line and not line.startswith("#"))
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return ()
    project = document.get("project")
    if not isinstance(project, dict):
        return ()
    found = list(_texts(project.get("dependencies")))
    groups = project.get("optional-dependencies")
    for group in groups.values() if isinstance(groups, dict) else ():
        found += _texts(group)
    return tuple(found)


def _texts(value: object) -> Iterable[str]:
    return (str(entry) for entry in value) if isinstance(value, list) else ()


def new_objection(path: str, text: str, before: str, named: Collection[str]) -> str:
    """Why a file may not ask for packages that it did not ask for `before`; "" where it may."""
    had = distributions(asks_for(path, before))
    for line in asks_for(path, text):
        if not (names := distributions([line])) or not names <= had:
            why = objection(line, named)
            if why:
                return f"`{path}` asks for {line[:80]!r}: {why}"
    return ""
