"""Which node of the project a diagram means by the name of a box or a participant."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from bot.state.model import Node, NodeKind, module_name

# `cli.py`, `pkg.mod`, `deprecated()`, `Flask.wsgi_app`, `TLS Support`: what titles are made of.
_WORD = re.compile(r"[A-Za-z_][\w./-]*")


class Cast:
    """Resolves names of diagrams against the nodes of a state."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._classes: dict[str, list[str]] = {}
        self._functions: dict[str, list[str]] = {}
        self._methods: dict[str, list[str]] = {}
        self._files: dict[str, list[str]] = {}
        self._ids: set[str] = set()
        for node in nodes:
            self._ids.add(node.id)
            if node.kind is NodeKind.CLASS:
                self._classes.setdefault(node.name, []).append(node.id)
            elif node.kind is NodeKind.FUNCTION:
                top = node.parent == node.path
                table = self._functions if top else self._methods
                table.setdefault(node.name, []).append(node.id)
            elif node.kind is NodeKind.FILE and node.path.endswith(".py"):
                for alias in _aliases(node.path):
                    self._files.setdefault(alias, []).append(node.path)

    def find(self, *titles: str) -> str | None:
        """The node that the first title with a meaning stands for: a file, class or function that
        alone has that name."""
        for title in titles:
            words = _WORD.findall(title.replace("\\n", "\n"))
            for word in words:
                found = self._one(word.strip(".-/"))
                if found is not None:
                    return found
        return None

    def _one(self, word: str) -> str | None:
        last = word.rpartition(".")[2]
        tables = (
            (self._files, word.lower() if word.endswith(".py") or "." in word else ""),
            (self._classes, word),
            (self._classes, last),
            (self._functions, last),
            (self._files, word.lower()),
            (self._classes, word.partition(".")[0]),
        )
        for table, key in tables:
            homes = table.get(key, [])
            if len(homes) == 1:
                return homes[0]
        return None

    def method(self, owner: str | None, name: str) -> str | None:
        """What a message calls: a member of its target, a function of its target's file, or the
        only definition of that name."""
        if owner is not None:
            for found in (f"{owner}.{name}", f"{owner.partition('::')[0]}::{name}"):
                if "::" in found and found in self._ids:
                    return found
        for table in (self._functions, self._classes, self._methods):
            homes = table.get(name, [])
            if len(homes) == 1:
                return homes[0]
        return None


def _aliases(path: str) -> set[str]:
    """The ways in which a diagram writes a file, in lower case; a package's `__init__` goes by the
    package's name."""
    pure = PurePosixPath(path)
    dotted = module_name(path).lower()
    names = {path.lower(), dotted, dotted.rpartition(".")[2], f"{dotted}.{pure.stem}".lower()}
    names |= {pure.name.lower()} if pure.name != "__init__.py" else set()
    return names - {""}
