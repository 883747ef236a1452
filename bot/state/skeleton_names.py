"""Which imports a skeleton file needs for the names that its signatures use."""

import ast
import builtins
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib import resources

import yaml

from bot.base import Data
from bot.state.model import Node, NodeKind, ProjectState, module_name
from bot.syntax import parse, parse_expression

Homes = Mapping[str, list[str]]
_METHOD_KINDS = {"property", "classmethod", "staticmethod"}
# What the skeleton itself writes where the documents leave a value open.
_HELPERS = ("TYPE_CHECKING", "auto", "field")


class Imports(Data):
    """Import lines needed when the file runs, those for annotations alone, and every name that is
    known in the file then."""

    real: tuple[tuple[str, str], ...] = ()
    typing_only: tuple[tuple[str, str], ...] = ()
    known: frozenset[str] = frozenset()

    def lines(self, used: Collection[str], *, real: bool) -> tuple[list[str], list[str]]:
        """The lines that bring in the used names: of the standard library, of the project."""
        by_line: dict[str, list[str]] = {}
        for line, name in self.real if real else self.typing_only:
            if name in used:
                by_line.setdefault(line, []).append(name)
        out: tuple[list[str], list[str]] = ([], [])
        for line, names in sorted(by_line.items(), key=lambda item: _last_word(item[0])):
            group = out[not _is_standard(line)]
            if line == "import":
                group.extend(f"import {n}" for n in sorted(names))
            elif line.startswith("from "):
                group.append(f"{line} import {', '.join(sorted(names, key=_by_case))}")
            else:
                group.append(line)
        return out


def _is_standard(line: str) -> bool:
    known = _standard()
    return line == "import" or line in known.lines


def _last_word(line: str) -> tuple[bool, str]:
    """Whole modules first, then by module."""
    return line.startswith("from "), line.split()[-1]


def _by_case(name: str) -> tuple[int, str]:
    """Constants, classes, functions: the order in which formatters put names."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name


class _Standard(Data):
    """Names of the standard library: what `import` brings in by its own name or under another,
    and the module of each other name."""

    lines: frozenset[str]
    modules: frozenset[str]
    aliases: Mapping[str, str]
    names: Mapping[str, str]


@cache
def _standard() -> _Standard:
    text = resources.files("bot.state").joinpath("stdlib_names.yaml").read_text("utf-8")
    table: dict[str, list[str]] = yaml.safe_load(text)
    lines = frozenset(table)
    modules = frozenset(table.pop("import"))
    aliases = {n: line for line, ns in table.items() if line.startswith("import ") for n in ns}
    names = {
        n: line.removeprefix("from ")
        for line, ns in table.items()
        if line.startswith("from ")
        for n in ns
    }
    return _Standard(lines=lines, modules=modules, aliases=aliases, names=names)


def standard_names() -> frozenset[str]:
    """Names that the documents may use for what a module of the standard library holds."""
    return frozenset(_standard().names)


def is_module(name: str) -> bool:
    """Whether a name stands for a module of the standard library."""
    known = _standard()
    return name in known.modules or name in known.aliases


def standard_home(name: str, *, module: bool = False) -> tuple[str, str] | None:
    """The module of the standard library that a name stands for or comes from, and its name
    there, "" for the module itself. With `module` a module of that name goes first."""
    known = _standard()
    if name in known.names and not (module and name in known.modules):
        return known.names[name], name
    if name in known.aliases:
        return known.aliases[name].split()[1], ""
    return (name, "") if name in known.modules else None


def is_keyword(base: str) -> bool:
    """Whether what stands among the bases is a keyword, such as `metaclass=ABCMeta`."""
    name, equals, _ = base.partition("=")
    return bool(equals) and name.strip().isidentifier()


def homes_of(state: ProjectState) -> Homes:
    """Name at a file's top -> the paths that define it."""
    homes: dict[str, list[str]] = {}
    for node in state.nodes:
        own = node.kind is not NodeKind.GLOBAL or not node.path.endswith("__init__.py")
        if "::" in node.id and node.parent == node.path and own:
            homes.setdefault(node.name, []).append(node.path)
    return homes


def names_in(text: str | None) -> frozenset[str]:
    """Free names of an expression; names inside string annotations count."""
    tree = _tree(text)
    if tree is None:
        return frozenset()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= names_in(node.value) if node.value.isidentifier() else set()
    return frozenset(found)


def beside_of(path: str, module: str) -> str:
    """The path of a module of that name beside a file."""
    folder = path.rpartition("/")[0]
    return f"{folder}/{module}.py" if folder else f"{module}.py"


def known_anywhere(homes: Homes) -> frozenset[str]:
    """Every name that some file of the project can take from somewhere."""
    known = _standard()
    return frozenset({*homes, *dir(builtins), *known.names, *known.aliases, *known.modules})


def names_used(code: str) -> frozenset[str]:
    """Names that some code of a skeleton reads, those in string annotations included."""
    tree = parse(code)
    return frozenset(
        {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        | {
            name
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value.isidentifier()
            for name in [n.value]
        }
    )


def imports_for(
    path: str,
    exports: Mapping[str, str],
    local: frozenset[str],
    nodes: Iterable[Node],
    homes: Homes,
) -> Imports:
    """The imports that one file may need. `exports` maps re-exported names to their paths, `local`
    are the names that the file defines itself, `nodes` everything it holds."""
    running: list[str | None] = []
    annotating: list[str | None] = []
    values: list[str | None] = []
    for node in nodes:
        running += [b.partition("=")[2] if is_keyword(b) else b for b in node.bases]
        running += [p.default for p in node.parameters or ()]
        running += [d for d in node.decorators if d not in _METHOD_KINDS]
        annotating += [node.returns, node.annotation, *(a.annotation for a in node.attributes)]
        annotating += [p.annotation for p in node.parameters or ()]
        values += [node.value, *(a.value for a in node.attributes)]
    found = _Finder(path, homes, [*running, *annotating])
    for name in _HELPERS:
        found.look_up_standard(name)
    for name, home in exports.items():
        found.take(name, f"from {module_name(home)}", real=True)
    ignored = local | set(dir(builtins))
    now = {n for text in running for n in names_in(text)} - ignored
    then = {n for text in annotating for n in names_in(text)} - ignored
    for name in sorted(now):
        found.look_up(name, real=True)
    for name in sorted(then - now):
        found.look_up(name, real=False)
    for name in sorted({n for text in values for n in names_in(text)} - ignored - now - then):
        found.look_up_standard(name)
    return found.imports(ignored)


class _Finder:
    def __init__(self, path: str, homes: Homes, texts: Iterable[str | None]) -> None:
        self._path = path
        self._homes = homes
        self._lines: dict[bool, set[tuple[str, str]]] = {True: set(), False: set()}
        self._dotted: dict[str, set[str]] = {}
        self._bare: set[str] = set()
        self._names: set[str] = set()
        for text in texts:
            self._note(text)

    def _note(self, text: str | None) -> None:
        """Remember whether a name stands alone or before a dot."""
        dotted = _dotted_names(text)
        for name, attribute in dotted:
            self._dotted.setdefault(name, set()).add(attribute)
        self._bare |= names_in(text) - {name for name, _ in dotted}

    def look_up(self, name: str, *, real: bool) -> None:
        """The project's own names first, then the standard library's."""
        paths = [p for p in self._homes.get(name, []) if p != self._path]
        module = self._module(name)
        if paths:
            self.take(name, f"from {module_name(paths[0])}", real=real)
        elif module is not None:
            self.take(name, f"from {module}", real=real)
        else:
            self.look_up_standard(name)

    def look_up_standard(self, name: str) -> None:
        known = _standard()
        if name in known.names and (name in self._bare or name not in self._dotted):
            self.take(name, f"from {known.names[name]}", real=True)
        elif name in known.modules and name not in self._bare:
            self.take(name, "import", real=True)
        elif name in known.names:
            self.take(name, f"from {known.names[name]}", real=True)
        elif name in known.aliases:
            self.take(name, known.aliases[name], real=True)

    def _module(self, name: str) -> str | None:
        """The package of a module beside the file that bears the name and holds what is taken
        from it."""
        folder = self._path.rpartition("/")[0]
        wanted = self._dotted.get(name, set())
        beside = beside_of(self._path, name)
        if wanted and folder and all(beside in self._homes.get(n, ()) for n in wanted):
            return module_name(folder)
        return None

    def take(self, name: str, line: str, *, real: bool) -> None:
        self._lines[real].add((line, name))
        self._names.add(name)

    def imports(self, known: frozenset[str]) -> Imports:
        return Imports(
            real=tuple(sorted(self._lines[True])),
            typing_only=tuple(sorted(self._lines[False])),
            known=known | self._names,
        )


def _dotted_names(text: str | None) -> set[tuple[str, str]]:
    """`(a, b)` for each `a.b` of an expression."""
    tree = _tree(text)
    return {
        (node.value.id, node.attr)
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


def _tree(text: str | None) -> ast.Expression | None:
    try:
        return parse_expression(text.strip()) if text else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
