"""The list of calls that tells a coder how the check tests use the project: what they import, then
one call a line, without what they expect."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from bot.spec.model import Spec
from bot.state.model import NodeKind, ProjectState, module_name
from bot.syntax import parse
from bot.verify.call_fixtures import fixtures_in
from bot.verify.call_reading import calls_in
from bot.verify.call_scope import Seen

# Ways of calling one thing that are shown, command lines of one program, attributes of one thing.
_VARIANTS = 3
_COMMANDS = 6
_ATTRIBUTES = 6


def call_list(spec: Spec, state: ProjectState, most: int) -> str:
    """At most so many lines: imports by module, then calls by what is called. Where there are
    more, one way of calling each thing goes before a second way of calling any."""
    trees = dict(_trees(spec))
    roots = {module_name(f.path).split(".")[0] for f in state.python_files()} - {""}
    imports = {path: tuple(_imported(tree, roots)) for path, tree in trees.items()}
    labels = _labels(i for found in imports.values() for i in found)
    methods = frozenset(n.name for n in state.nodes if n.kind is NodeKind.FUNCTION)
    seen: list[Seen] = []
    for path, tree in trees.items():
        names = {local: labels[target, local] for target, local in imports[path]}
        fixtures = {
            name: fixture
            for other, theirs in trees.items()
            if other == path or _is_conftest_of(other, path)
            for name, fixture in fixtures_in(theirs).items()
        }
        seen.extend(calls_in(tree, names, methods, fixtures, roots))
    head = _import_lines({i for found in imports.values() for i in found}, state)
    return "\n".join([*head, *_chosen(seen, most - len(head))][:most])


def _trees(spec: Spec) -> Iterator[tuple[str, ast.Module]]:
    for given in spec.check_tests:
        if given.path.endswith(".py") and given.encoding == "utf-8":
            try:
                yield given.path, parse(given.text)
            except (SyntaxError, ValueError, RecursionError):
                continue


def _is_conftest_of(conftest: str, path: str) -> bool:
    pure = PurePosixPath(conftest)
    return pure.name == "conftest.py" and pure.parent in PurePosixPath(path).parents


# What is imported, as `import a.b` ("a.b") or `from a.b import c` ("a.b:c"), and its local name.
Import = tuple[str, str]


def _imported(tree: ast.Module, roots: set[str]) -> Iterator[Import]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in roots:
                    yield alias.name, alias.asname or alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            if module.split(".")[0] in roots:
                for alias in node.names:
                    if alias.name != "*":
                        yield f"{module}:{alias.name}", alias.asname or alias.name


def _labels(imports: Iterable[Import]) -> dict[Import, str]:
    """How what is imported is called in the list: by its local name, unless that name means
    something else in another test file."""
    meanings: dict[str, set[str]] = {}
    found = set(imports)
    for target, local in found:
        meanings.setdefault(local, set()).add(target if ":" in target else local)
    return {
        (target, local): local if len(meanings[local]) == 1 else target.replace(":", ".")
        for target, local in found
    }


def _import_lines(imports: Iterable[Import], state: ProjectState) -> list[str]:
    modules = {module_name(f.path) for f in state.python_files()}
    named: dict[str, set[str]] = {}
    whole: set[str] = set()
    for target, local in imports:
        module, colon, name = target.partition(":")
        if not colon:
            plain = local == target.split(".")[0]
            whole.add(f"import {target}" if plain else f"import {target} as {local}")
        else:
            said = name if local == name else f"{name} as {local}"
            named.setdefault(module, set()).add(said)
    lines = [f"from {m} import {', '.join(sorted(named[m]))}" for m in sorted(named)]
    known = [line for line in lines if line.split()[1] in modules]
    return [*sorted(whole), *known, *(line for line in lines if line not in known)]


def _chosen(seen: Sequence[Seen], most: int) -> list[str]:
    """The lines for what was seen, by root and target in order of appearance."""
    calls: dict[str, list[Seen]] = {}
    attributes: dict[str, dict[str, None]] = {}
    for one in seen:
        if one.shape is not None:
            calls.setdefault(one.target, []).append(one)
    for one in seen:
        if one.shape is None and one.text not in calls:
            attributes.setdefault(one.target, {}).setdefault(one.text)
    ranked: list[tuple[int, str, str]] = []
    for target, found in calls.items():
        ranked += [(n, target, text) for n, text in enumerate(_variants(found, _most_of(target)))]
    for target, texts in attributes.items():
        names = [f".{text.rpartition('.')[2]}" for text in list(texts)[:_ATTRIBUTES]]
        ranked.append((1, target, target + ", ".join(names)))
    order = {t: n for n, t in enumerate(dict.fromkeys((*calls, *attributes)))}
    roots = {r: n for n, r in enumerate(dict.fromkeys(_root(t) for t in order))}
    kept = sorted(ranked, key=lambda r: (r[0], order[r[1]]))[: max(most, 0)]
    kept.sort(key=lambda r: (roots[_root(r[1])], order[r[1]], r[0]))
    return [text for _, _, text in kept]


def _root(target: str) -> str:
    return target.removeprefix("with ").partition("(")[0].lstrip("@")


def _most_of(target: str) -> int:
    return _COMMANDS if target.endswith(("with sys.argv", "a process")) else _VARIANTS


def _variants(found: Sequence[Seen], most: int) -> list[str]:
    """Up to `most` ways of calling one thing: each adds a shape or a keyword that none before it
    has, the one that adds most first."""
    plain = [s for s in found if not s.masked] or found[:1]
    by_shape: dict[frozenset[str], Seen] = {}
    for one in plain:
        by_shape.setdefault(one.shape or frozenset(), one)
    left = list(by_shape.items())
    out: list[str] = []
    known: set[str] = set()
    while left and len(out) < most:
        best = max(left, key=lambda item: len(item[0] - known))
        left.remove(best)
        known |= best[0]
        out.append(best[1].text)
    return out
