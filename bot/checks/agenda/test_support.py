"""What tests stand on that is not in their own text: fixtures of conftest.py, helpers of other test
files, and what their classes hold."""

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from bot.checks.agenda.code import last_name
from bot.checks.agenda.test_sources import (
    body_of,
    bound_by,
    chain_of,
    helpers_of,
    names_of,
    segment,
    wanted_by,
)
from bot.state.extract import Definition, statements

LONGEST_SUPPORT = 6_000
_MOST_BASES = 5


def support_of(ids: Iterable[str], tests: Mapping[str, str], most: int = LONGEST_SUPPORT) -> str:
    """The source of what the tests of these node ids use besides what `source_of_test` shows, each
    under its file's name and once, the nearest first; at most so many characters. `tests` holds
    the files of the tests by path."""
    book = _Book(tests)
    for id_ in ids:
        book.begin(*names_of(id_))
    out: list[str] = []
    before = ""
    for path, stmt in book.followed():
        piece = segment(tests[path], stmt)
        piece = piece if path == before else f"# {path}\n{piece}"
        if sum(map(len, out)) + len(piece) <= most:
            out.append(piece)
            before = path
    return "\n\n".join(out)


@dataclass(frozen=True)
class _Need:
    """A statement whose names are to be followed, and the classes that it stands in."""

    path: str
    stmt: ast.stmt
    classes: tuple[ast.ClassDef, ...] = ()


@dataclass
class _Book:
    """The test files while needs are followed through them; `_seen` are statements, by path and
    line, that were found or need not be shown."""

    tests: Mapping[str, str]
    _seen: set[tuple[str, int]] = field(default_factory=set)
    _waiting: deque[_Need] = field(default_factory=deque)
    _found: list[tuple[str, ast.stmt]] = field(default_factory=list)
    _bodies: dict[str, list[ast.stmt]] = field(default_factory=dict)

    def begin(self, path: str, names: tuple[str, ...]) -> None:
        """Have what a test needs followed."""
        body = self._body(path)
        chain = chain_of(body, names)
        if not chain:
            return
        classes = tuple(c for c in chain[:-1] if isinstance(c, ast.ClassDef))
        for stmt in (chain[-1], *helpers_of(body, chain)):
            self._seen.add((path, stmt.lineno))
            self._waiting.append(_Need(path, stmt, classes))
        for conftest in self._conftests(path):
            for stmt in statements(self._body(conftest)):
                if _is_for_all(stmt):
                    self._add(conftest, stmt)

    def followed(self) -> list[tuple[str, ast.stmt]]:
        """(path, statement) of what is needed, and of what that needs."""
        while self._waiting:
            for path, stmt in self._met(self._waiting.popleft()):
                self._add(path, stmt)
        return self._found

    def _add(self, path: str, stmt: ast.stmt) -> None:
        if (path, stmt.lineno) not in self._seen:
            self._seen.add((path, stmt.lineno))
            self._waiting.append(_Need(path, stmt))
            self._found.append((path, stmt))

    def _met(self, need: _Need) -> Iterator[tuple[str, ast.stmt]]:
        for name in dict.fromkeys(wanted_by(need.stmt)):
            yield from self._named(need.path, name)
        for owner, attribute in sorted(_attributes(need.stmt)):
            if owner in ("self", "cls"):
                for cls in need.classes:
                    yield from self._member(need.path, cls, attribute, _MOST_BASES)
            else:
                module = self._module(need.path, owner)
                yield from self._top(module, attribute) if module else ()

    def _named(self, path: str, name: str) -> Iterator[tuple[str, ast.stmt]]:
        """What a name stands for: at the top of the file, imported from another test file, or a
        fixture of the folders above."""
        own = list(self._top(path, name))
        if own:
            yield from own
            return
        for stmt, alias in self._imports(path):
            if isinstance(stmt, ast.ImportFrom) and (alias.asname or alias.name) == name:
                home = self._path(path, stmt.module or "", stmt.level)
                yield from self._top(home, alias.name) if home else ()
                return
        for conftest in self._conftests(path):
            found = [s for s in statements(self._body(conftest)) if _fixture_name(s) == name]
            if found:
                yield conftest, found[0]
                return

    def _member(
        self, path: str, cls: ast.ClassDef, name: str, bases: int
    ) -> Iterator[tuple[str, ast.stmt]]:
        """What a class of tests, or one that it inherits from, holds under a name."""
        own = next((s for s in cls.body if name in bound_by(s)), None)
        if own is not None:
            yield path, own
            return
        for base in (last_name(b) for b in cls.bases if bases):
            for home, stmt in self._named(path, base):
                if isinstance(stmt, ast.ClassDef):
                    yield from self._member(home, stmt, name, bases - 1)

    def _module(self, path: str, name: str) -> str:
        """The test file that a name in another one stands for, "" where it is none."""
        for stmt, alias in self._imports(path):
            if (alias.asname or alias.name) != name:
                continue
            if isinstance(stmt, ast.Import):
                return self._path(path, alias.name, 0)
            inner = f"{stmt.module}.{alias.name}" if stmt.module else alias.name
            return self._path(path, inner, stmt.level)
        return ""

    def _top(self, path: str, name: str) -> Iterator[tuple[str, ast.stmt]]:
        stmts = (s for s in statements(self._body(path)) if name in bound_by(s))
        yield from ((path, stmt) for stmt in stmts)

    def _imports(self, path: str) -> Iterator[tuple[ast.Import | ast.ImportFrom, ast.alias]]:
        for stmt in statements(self._body(path)):
            if isinstance(stmt, ast.Import | ast.ImportFrom):
                yield from ((stmt, alias) for alias in stmt.names)

    def _path(self, path: str, module: str, level: int) -> str:
        """The test file of a module as another one names it; pytest finds those of its folder and
        of the folders above."""
        folders = list(PurePosixPath(path).parents)
        chosen = folders[level - 1 : level] if level else folders
        tail = module.replace(".", "/")
        tried = (str(f / (tail + end)) for f in chosen for end in (".py", "/__init__.py"))
        return next((p for p in tried if p in self.tests), "")

    def _conftests(self, path: str) -> Sequence[str]:
        """The conftest.py files whose fixtures a test file may use, the nearest first."""
        above = (str(folder / "conftest.py") for folder in PurePosixPath(path).parents)
        return [conftest for conftest in above if conftest in self.tests]

    def _body(self, path: str) -> list[ast.stmt]:
        if path not in self._bodies:
            self._bodies[path] = body_of(self.tests.get(path, ""))
        return self._bodies[path]


def _attributes(stmt: ast.stmt) -> set[tuple[str, str]]:
    """(name, attribute) of what a statement reads from a name."""
    return {
        (node.value.id, node.attr)
        for node in ast.walk(stmt)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


def _fixture(stmt: ast.stmt) -> ast.expr | None:
    """The decorator that makes a fixture of a function, None where it is none.
    https://docs.pytest.org/en/stable/reference/reference.html#pytest-fixture"""
    decorators = stmt.decorator_list if isinstance(stmt, Definition) else []
    calls = [(d, d.func if isinstance(d, ast.Call) else d) for d in decorators]
    return next((d for d, func in calls if last_name(func) == "fixture"), None)


def _given(stmt: ast.stmt, keyword: str) -> object:
    """What a fixture's decorator says for a keyword, None where it says nothing."""
    decorator = _fixture(stmt)
    said = decorator.keywords if isinstance(decorator, ast.Call) else []
    values = (k.value for k in said if k.arg == keyword)
    return next((v.value for v in values if isinstance(v, ast.Constant)), None)


def _fixture_name(stmt: ast.stmt) -> str:
    """The name of a fixture, "" where a statement is none."""
    if _fixture(stmt) is None:
        return ""
    return str(_given(stmt, "name") or getattr(stmt, "name", ""))


def _is_for_all(stmt: ast.stmt) -> bool:
    return _given(stmt, "autouse") is True
