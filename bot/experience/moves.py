"""What a change did to the code, told from its diff in terms that hold for any project."""

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from importlib import resources
from itertools import islice

import yaml
from pydantic import Field
from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchedFile, PatchSet

from bot.base import Data

_MOST_LINES = 2000
_MOST_PAIRS = 200
_ALIKE = 0.6
_IMPORT = re.compile(r"^\s*(?:from|import)\s")
_DELAYED = re.compile(r"^\s+(?:from|import)\s")
_DEFINITION = re.compile(r"^\s*(?:async\s+)?(?:def|class)\s+(?P<name>\w+)")
_OFFER = re.compile(r"^\s*(?:from\s|import\s|__all__|[\"']\w+[\"'],?$|\w+,$)")
_TOKEN = re.compile(r"\w+|[<>=!]=?|[^\w\s]")
_COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!=", "is", "not", "and", "or"})


class Move(Data):
    """One thing that a change may do; see moves.yaml."""

    name: str
    added: str = ""
    removed: str = ""
    said: str = Field(min_length=1)


class _Lines(Data):
    """The changed lines of one file."""

    path: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


def moves_of(diff: str, tests: Sequence[str] = ("check_tests",)) -> tuple[Move, ...]:
    """What a unified diff does to Python files outside the tests, in the order of moves.yaml;
    nothing where the diff cannot be read."""
    try:
        files = [_lines(patched) for patched in PatchSet(diff)]
    except UnidiffParseError:
        return ()
    ours = [file for file in files if file.path.endswith(".py") and not _is_test(file.path, tests)]
    return tuple(move for move in _moves() if any(_does(move, file) for file in ours))


def _lines(patched: PatchedFile) -> _Lines:
    changed = [line for hunk in patched for line in hunk][:_MOST_LINES]
    return _Lines(
        path=_plain(patched.path),
        added=tuple(line.value.rstrip("\r\n") for line in changed if line.is_added),
        removed=tuple(line.value.rstrip("\r\n") for line in changed if line.is_removed),
    )


def _plain(path: str) -> str:
    """Git quotes the paths that hold more than ASCII; unidiff leaves the quotes and the prefix."""
    return path.strip('"').removeprefix("b/") if path.startswith('"') else path


def _does(move: Move, lines: _Lines) -> bool:
    if move.name in _COMPUTED:
        return _COMPUTED[move.name](lines)
    return _holds(move.added, lines.added) and _holds(move.removed, lines.removed)


def _holds(pattern: str, lines: tuple[str, ...]) -> bool:
    return not pattern or any(re.search(pattern, line) for line in lines)


def _import_delayed(lines: _Lines) -> bool:
    gone = {line.strip() for line in lines.removed if _IMPORT.match(line)}
    return any(_DELAYED.match(line) and line.strip() in gone for line in lines.added)


def _reexported(lines: _Lines) -> bool:
    front = lines.path.rpartition("/")[2] == "__init__.py"
    return front and any(_OFFER.match(line) for line in lines.added)


def _signature_changed(lines: _Lines) -> bool:
    old = {(m["name"], line) for line in lines.removed if (m := _DEFINITION.match(line))}
    new = {(m["name"], line) for line in lines.added if (m := _DEFINITION.match(line))}
    return bool({name for name, _ in new - old} & {name for name, _ in old - new})


def _definition_added(lines: _Lines) -> bool:
    return bool(_defined(lines.added) - _defined(lines.removed)) and not _renamed(lines)


def _definition_removed(lines: _Lines) -> bool:
    return bool(_defined(lines.removed) - _defined(lines.added)) and not _renamed(lines)


def _renamed(lines: _Lines) -> bool:
    return any(_is_name(a) and _is_name(b) for a, b in _single_exchanges(lines))


def _number_changed(lines: _Lines) -> bool:
    return any(a.isdigit() or b.isdigit() for a, b in _exchanges(lines))


def _comparison_changed(lines: _Lines) -> bool:
    return any({a, b} & _COMPARISONS for a, b in _exchanges(lines))


def _defined(lines: tuple[str, ...]) -> set[str]:
    return {match["name"] for line in lines if (match := _DEFINITION.match(line))}


def _single_exchanges(lines: _Lines) -> Iterator[tuple[str, str]]:
    """Pairs of lines that differ in exactly one token."""
    for old, new in _pairs(lines):
        different = [(a, b) for a, b in zip(old, new, strict=False) if a != b]
        if len(old) == len(new) and len(different) == 1:
            yield different[0]


def _exchanges(lines: _Lines) -> Iterator[tuple[str, str]]:
    """What stands in one line in place of what stood there before; "" for nothing."""
    for old, new in _pairs(lines):
        for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind != "equal" and max(b - a, d - c) <= 2:
                for at in range(max(b - a, d - c)):
                    yield (old[a + at] if a + at < b else ""), (new[c + at] if c + at < d else "")


def _pairs(lines: _Lines) -> Iterator[tuple[list[str], list[str]]]:
    """Lines in order that resemble one another, as tokens."""
    for before, after in islice(zip(lines.removed, lines.added, strict=False), _MOST_PAIRS):
        if SequenceMatcher(None, before[:200], after[:200]).ratio() >= _ALIKE:
            yield _TOKEN.findall(before[:400]), _TOKEN.findall(after[:400])


def _is_name(token: str) -> bool:
    return token.isidentifier() and token not in _COMPARISONS


def _is_test(path: str, tests: Sequence[str]) -> bool:
    return any(path == test or path.startswith(f"{test}/") for test in tests)


@cache
def _moves() -> tuple[Move, ...]:
    text = resources.files("bot.experience").joinpath("moves.yaml").read_text("utf-8")
    return tuple(Move.model_validate(entry) for entry in yaml.safe_load(text))


_COMPUTED: dict[str, Callable[[_Lines], bool]] = {
    "import_delayed": _import_delayed,
    "reexported": _reexported,
    "signature_changed": _signature_changed,
    "renamed": _renamed,
    "number_changed": _number_changed,
    "comparison_changed": _comparison_changed,
    "definition_added": _definition_added,
    "definition_removed": _definition_removed,
}
