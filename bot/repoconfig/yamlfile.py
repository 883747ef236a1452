"""YAML with the line of each setting, read from hostile text. Pure."""

from collections.abc import Iterator
from typing import Any

import yaml
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bot.base import Data
from bot.repoconfig.texts import tell

Path = tuple[str | int, ...]

_LARGEST = 64 * 1024
_DEEPEST = 12


class Problem(Data):
    """One thing that is wrong, in one sentence; lines count from 1."""

    line: int
    text: str


class Wrong(Exception):
    """The file cannot be used; `problems` say why, in the order of their lines."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__(self.problems[0].text)


class YamlFile(Data):
    """What a file holds, and on which line the value of each path begins."""

    values: dict[str, Any]
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """The line of a value, or of the nearest one around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(content: bytes) -> YamlFile:
    """Plain values only: no aliases, tags, dates, or names that stand twice. Raise Wrong."""
    if len(content) > _LARGEST:
        raise Wrong(Problem(line=1, text=tell("large", kib=_LARGEST // 1024)))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise Wrong(Problem(line=line, text=tell("not_text"))) from error
    try:
        _refuse_tricks(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise Wrong(_syntax(error)) from error
    if node is None:
        return YamlFile(values={}, lines={})
    if not isinstance(node, MappingNode):
        raise Wrong(Problem(line=1, text=tell("no_table")))
    lines: dict[Path, int] = {}
    return YamlFile(values=_table(node, (), lines), lines=lines)


def _refuse_tricks(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, AliasEvent):
            raise Wrong(Problem(line=line, text=tell("alias")))
        depth += isinstance(event, CollectionStartEvent)
        depth -= isinstance(event, CollectionEndEvent)
        if depth > _DEEPEST:
            raise Wrong(Problem(line=line, text=tell("deep")))


def _syntax(error: yaml.YAMLError) -> Problem:
    said = " ".join(str(getattr(error, "problem", None) or error).split())
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    return Problem(line=mark.line + 1 if mark else 1, text=tell("not_yaml", said=said))


def _value(node: Node, path: Path, lines: dict[Path, int]) -> Any:
    if isinstance(node, MappingNode):
        return _table(node, path, lines)
    if isinstance(node, SequenceNode):
        return [_item(child, (*path, index), lines) for index, child in enumerate(node.value)]
    return _scalar(node)


def _item(node: Node, path: Path, lines: dict[Path, int]) -> Any:
    lines[path] = node.start_mark.line + 1
    return _value(node, path, lines)


def _table(node: MappingNode, path: Path, lines: dict[Path, int]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name, child, line in _entries(node):
        if name in table:
            raise Wrong(Problem(line=line, text=tell("twice", name=name)))
        lines[(*path, name)] = line
        table[name] = _value(child, (*path, name), lines)
    return table


def _entries(node: MappingNode) -> Iterator[tuple[str, Node, int]]:
    for key, child in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, ScalarNode):
            raise Wrong(Problem(line=line, text=tell("plain_name")))
        yield key.value, child, line


def _scalar(node: Node) -> Any:
    """Text, number, truth or nothing; all else stays the text that it is written as."""
    tag = node.tag.rpartition(":")[2]
    if tag not in ("int", "float", "bool", "null"):
        return node.value
    try:
        return yaml.safe_load(node.value)
    except (yaml.YAMLError, ValueError):
        return node.value
