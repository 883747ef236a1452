"""Cycles that break at import: what a module needs of another one while that is only half run.

Python's rule: https://docs.python.org/3/reference/import.html#submodules and the `from` clause of
https://docs.python.org/3/reference/simple_stmts.html#the-import-statement
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from bot.spec.model import Location
from bot.state.extract import absolute_module
from bot.verify.bindings import Function, bindings_of
from bot.verify.conditions import asks_platform, asks_typing, catches_import
from bot.verify.evidence import Evidence, Rule, Tool
from bot.verify.project import Module


def verify_cycles(modules: Mapping[str, Module]) -> list[Evidence]:
    """Imports that fail because of a cycle, for some module that is imported first; each once."""
    found: dict[tuple[str, int, str], Evidence] = {}
    for first in sorted(modules):
        for path, line, column, why in _Run(modules).start(first):
            found.setdefault(
                (path, line, why),
                Evidence(
                    tool=Tool.GATE,
                    rule=Rule.CYCLE,
                    subject=path,
                    verdict="fault",
                    detail=f"`{path}` {why} when `{first}` comes first",
                    location=Location(file=path, line=line, column=column),
                ),
            )
    return list(found.values())


Fault = tuple[str, int, int, str]


@dataclass
class _Run:
    """One Python that imports modules: which are begun, which are done, what they have bound."""

    modules: Mapping[str, Module]
    bound: dict[str, set[str]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)

    def start(self, name: str) -> Iterator[Fault]:
        """Import a module and its packages; the faults on the way. Where one is found, what comes
        after it in that module is not run."""
        parts = name.split(".")
        for cut in range(1, len(parts) + 1):
            whole = ".".join(parts[:cut])
            if whole in self.modules and whole not in self.bound:
                self.bound[whole] = set()
                yield from self._body(self.modules[whole], self.modules[whole].tree.body)
                self.done.add(whole)

    def _body(self, module: Module, body: Iterable[ast.stmt]) -> Iterator[Fault]:
        for stmt in body:
            if isinstance(stmt, ast.Import):
                for alias in stmt.names:
                    yield from self.start(alias.name)
            elif isinstance(stmt, ast.ImportFrom):
                yield from self._from(module, stmt)
            elif isinstance(stmt, ast.If):
                if not asks_typing(stmt.test) and not asks_platform(stmt.test):
                    yield from self._body(module, [*stmt.body, *stmt.orelse])
            elif isinstance(stmt, ast.Try):
                tried = list(self._body(module, stmt.body))
                yield from tried if not any(catches_import(h) for h in stmt.handlers) else ()
                for handler in stmt.handlers:
                    list(self._body(module, handler.body))
                yield from self._body(module, [*stmt.orelse, *stmt.finalbody])
            elif isinstance(stmt, ast.With):
                yield from self._body(module, stmt.body)
            elif isinstance(stmt, ast.ClassDef):
                yield from self._body(module, [s for s in stmt.body if _imports(s)])
            self.bound[module.name] |= bindings_of(module.path, [stmt]).keys()

    def _from(self, module: Module, stmt: ast.ImportFrom) -> Iterator[Fault]:
        source = absolute_module(module.path, stmt.module, stmt.level)
        yield from self.start(source)
        home = self.modules.get(source)
        if home is None:
            return
        for alias in stmt.names:
            inner = f"{source}.{alias.name}"
            if inner in self.modules and alias.name not in self.bound[source]:
                yield from self.start(inner)
            elif source not in self.done and self._lacks(home, alias.name):
                why = (
                    f"imports `{alias.name}` from `{source}` while that is still being imported, "
                    "a cycle that breaks"
                )
                yield module.path, stmt.lineno, stmt.col_offset + 1, why

    def _lacks(self, home: Module, name: str) -> bool:
        """Whether a half-run module will bind a name, and has not yet."""
        known = name in home.bindings and not home.open
        return known and name not in self.bound[home.name] and not home.stars


def _imports(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Import | ast.ImportFrom) and not isinstance(stmt, Function)
