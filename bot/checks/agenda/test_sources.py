"""What the text of a test tells: its function with what that needs from the same file, and how
many tests a file holds that could not even be imported."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from bot.checks.agenda.code import first_line, last_name
from bot.state.extract import Definition, statements
from bot.syntax import parse, source_lines

LONGEST_SOURCE = 4000
_CUT = "# ... cut"


def names_of(test_id: str) -> tuple[str, tuple[str, ...]]:
    """(path, names from the outermost class to the function) of pytest's node id."""
    path, _, rest = test_id.partition("::")
    return path, tuple(filter(None, rest.partition("[")[0].split("::")))


def source_of_test(test_id: str, tests: Mapping[str, str], most: int = LONGEST_SOURCE) -> str:
    """One test function with the fixtures, helpers, constants and set-up methods of the same file
    that it uses, itself first; "" where it cannot be found, cut at `most` characters."""
    path, names = names_of(test_id)
    text = tests.get(path, "")
    body = body_of(text)
    chain = chain_of(body, names)
    if not chain:
        return ""
    pieces = [segment(text, chain[-1])]
    pieces += [segment(text, s) for s in helpers_of(body, chain)]
    return _joined(pieces, most)


def tests_in(text: str) -> int:
    """How many tests a file holds, as far as its text tells: parametrized ones by their lists."""
    return sum(_times(f) for f in _test_functions(body_of(text)))


def body_of(text: str) -> list[ast.stmt]:
    """The statements of a source; none where it does not parse."""
    try:
        return parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def chain_of(body: list[ast.stmt], names: tuple[str, ...]) -> list[ast.stmt]:
    """The classes around a test and the test itself; empty where one is missing."""
    chain: list[ast.stmt] = []
    for name in names:
        found = next((s for s in statements(body) if getattr(s, "name", None) == name), None)
        if found is None:
            return []
        chain.append(found)
        body = found.body if isinstance(found, ast.ClassDef) else []
    return chain


_SET_UP = ("setUp", "setUpClass", "setup_method", "setup_class", "setup", "asyncSetUp")


def helpers_of(body: list[ast.stmt], chain: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of the file that the test needs, in the order of need: set-up methods of its
    classes, then what names lead to."""
    found: list[ast.stmt] = [
        inner
        for cls in chain[:-1]
        if isinstance(cls, ast.ClassDef)
        for inner in cls.body
        if isinstance(inner, Definition) and inner.name in _SET_UP
    ]
    known = {name: stmt for stmt in statements(body) for name in bound_by(stmt)}
    waiting: list[ast.stmt] = [chain[-1], *found]
    while waiting:
        for name in wanted_by(waiting.pop(0)):
            stmt = known.get(name)
            if stmt is not None and stmt not in found and stmt not in chain:
                found.append(stmt)
                waiting.append(stmt)
    return found


def bound_by(stmt: ast.stmt) -> Iterator[str]:
    """Names that a statement defines or assigns."""
    if isinstance(stmt, Definition | ast.ClassDef):
        yield stmt.name
    elif isinstance(stmt, ast.Assign | ast.AnnAssign):
        for target in stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]:
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def wanted_by(stmt: ast.stmt) -> Iterator[str]:
    """Names that a statement reads, parameters (which may be fixtures) included."""
    for node in ast.walk(stmt):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def segment(text: str, stmt: ast.stmt) -> str:
    """The source of a statement with its decorators, moved to the margin."""
    lines = source_lines(text)[first_line(stmt) - 1 : stmt.end_lineno]
    margin = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    return "\n".join(line[margin:] if not line[:margin].strip() else line for line in lines)


def _joined(pieces: Iterable[str], most: int) -> str:
    """The pieces one after the other, those left out that do not fit any more."""
    out = ""
    for piece in pieces:
        if not out and len(piece) > most:
            return f"{piece[:most].rpartition(chr(10))[0]}\n{_CUT}"
        if len(out) + len(piece) <= most:
            out = f"{out}\n\n{piece}" if out else piece
    return out


def _test_functions(body: Iterable[ast.stmt]) -> Iterator[Definition]:
    for stmt in statements(body):
        if isinstance(stmt, Definition) and stmt.name.startswith("test"):
            yield stmt
        elif isinstance(stmt, ast.ClassDef):
            yield from _test_functions(stmt.body)


def _times(function: Definition) -> int:
    times = 1
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and last_name(decorator.func) == "parametrize":
            values = decorator.args[1] if len(decorator.args) > 1 else None
            if isinstance(values, ast.List | ast.Tuple | ast.Set):
                times *= max(1, len(values.elts))
    return times
