"""Which packages an agent may add: those that a document or a person names, and known ones; never
test tools, look-alikes or what nobody has heard of."""

import re
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files

import yaml
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from bot.agents.installs import asked, is_place
from bot.agents.texts import why
from bot.base import Data
from bot.spec.dependencies import stated_requirements
from bot.spec.model import Spec
from bot.verify.imports import distributions

_LONGEST_LINE = 200
_SHORTEST_ALIKE = 4
# pytest loads every installed plugin, and these make or measure the environment.
_TEST_TOOL = re.compile(r"pytest(-.*)?|.*-pytest|pluggy|coverage|hypothesis|pip|setuptools|wheel")
_IN_BACKTICKS = re.compile(r"`([^`\n]{1,200})`")


class Refusal(Data):
    """A requirement line that is not added, and why."""

    line: str
    why: str


class Choice(Data):
    kept: tuple[str, ...]
    refused: tuple[Refusal, ...]


@cache
def build_packages() -> frozenset[str]:
    """Normalised names of the packages that a project may be built with."""
    text = (files("bot.agents") / "build-packages.yaml").read_text(encoding="utf-8")
    return frozenset(yaml.safe_load(text))


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
        reason = objection(line, named)
        if reason:
            refused.append(Refusal(line=line[:_LONGEST_LINE], why=reason))
        else:
            kept.append(line)
    return Choice(kept=tuple(kept), refused=tuple(refused))


def objection(line: str, named: Collection[str]) -> str:
    """Why a requirement line may not be added; "" where it may."""
    requirement = _parsed(line)
    if requirement is None or requirement.url is not None or requirement.marker is not None:
        return why("not_plain")
    name = canonicalize_name(requirement.name)
    if _TEST_TOOL.fullmatch(name):
        return why("test_tool")
    if name in named or name in known_packages():
        return ""
    near = lookalike(name, {*named, *known_packages()})
    return why("alike", near=near) if near else why("unknown")


def _parsed(line: str) -> Requirement | None:
    try:
        return Requirement(line) if len(line) <= _LONGEST_LINE else None
    except InvalidRequirement:
        return None


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


def new_objection(path: str, text: str, before: str, named: Collection[str]) -> str:
    """Why a file may not ask for packages that it did not ask for `before`; "" where it may. Of a
    package that it had it may ask for another version, but not by an address."""
    if is_place(path):
        return "" if text.strip() == before.strip() else why("place", path=path)
    now, had = asked(path, text), asked(path, before)
    for lines, old, build in ((now.lines, had.lines, False), (now.build, had.build, True)):
        known = _plain_names(old) | (build_packages() if build else frozenset())
        for line in lines:
            requirement = _parsed(line)
            plain = requirement is not None and requirement.url is None
            same = line in old or (plain and _name(requirement) in known)
            if not same and (reason := objection(line, named)):
                return why("asks", path=path, line=repr(line[:80]), why=reason)
    return ""


def _plain_names(lines: Iterable[str]) -> frozenset[str]:
    """Names of the packages that lines ask for by their names."""
    found = (_parsed(line) for line in lines)
    return frozenset(_name(r) for r in found if r is not None and r.url is None)


def _name(requirement: Requirement | None) -> str:
    return canonicalize_name(requirement.name) if requirement else ""
