"""Command lines in check tests: what they put into `sys.argv`, hand to a `main`, or run as a
process of its own."""

import ast
from collections.abc import Iterator, Set
from pathlib import PurePosixPath

from bot.verify.call_texts import Find, arguments_of

# Words of a command line that are shown.
MOST_WORDS = 12
_RUNNING = frozenset(["Popen", "call", "check_call", "check_output", "run"])
_SETTING = frozenset(["object", "patch", "setattr"])


def command_line(node: ast.expr, find: Find) -> ast.List | None:
    """A list of words with known variables told, no longer than what is shown of it; None for
    what is no such list."""
    if isinstance(node, ast.Name):
        held = find(node.id)
        return held.literal if held is not None and isinstance(held.literal, ast.List) else None
    if not isinstance(node, ast.List | ast.BinOp):
        return None
    found = list(_words(node, find))
    if not any(isinstance(w, ast.Constant) and isinstance(w.value, str) for w in found):
        return None
    return ast.List(found[: MOST_WORDS + 1])


def words_in(line: ast.List) -> frozenset[str]:
    return frozenset(
        w.value for w in line.elts if isinstance(w, ast.Constant) and isinstance(w.value, str)
    )


def has_options(line: ast.List) -> bool:
    """Whether a list of words reads as a command line, not as some other list of texts."""
    return any(word.startswith("-") for word in words_in(line))


def shown(line: ast.List, find: Find) -> str:
    return arguments_of(ast.Call(ast.Name("list"), [line], []), find, most=MOST_WORDS)


def argv_given(node: ast.Call) -> ast.expr | None:
    """What a call such as `patch.object(sys, "argv", X)` or `setattr("sys.argv", X)` sets."""
    if ast.unparse(node.func).rpartition(".")[2] not in _SETTING:
        return None
    match node.args:
        case [ast.Constant(value=str(name)), given] if f".{name}".endswith(".sys.argv"):
            return given
        case [owner, ast.Constant(value="argv"), given] if _is_sys(owner):
            return given
    return None


def argv_assigned(stmt: ast.Assign | ast.AnnAssign) -> ast.expr | None:
    """X of `sys.argv = X`."""
    targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
    sets = any(isinstance(t, ast.Attribute) and t.attr == "argv" and _is_sys(t) for t in targets)
    return stmt.value if sets else None


def process_run(node: ast.Call, find: Find, roots: Set[str]) -> ast.List | None:
    """The command line of a process that runs the project: `python -m` a module of it, a script
    in it, or a command of its name."""
    if ast.unparse(node.func).rpartition(".")[2] not in _RUNNING or not node.args:
        return None
    line = command_line(node.args[0], find)
    if line is None:
        return None
    named = [w.value if isinstance(w, ast.Constant) else None for w in line.elts]
    position = 1 if ast.unparse(line.elts[0]) == "sys.executable" else 0
    if position < len(named) and named[position] in ("python", "python3"):
        position += 1
    if position < len(named) and named[position] == "-m":
        position += 1
    program = named[position] if position < len(named) else None
    if not isinstance(program, str):
        return None
    first = (*PurePosixPath(program).parts, "")[0]
    return line if first.split(".")[0] in roots else None


def _is_sys(node: ast.expr) -> bool:
    said = ast.unparse(node)
    return f".{said.removesuffix('.argv')}".endswith(".sys")


def _words(node: ast.expr, find: Find) -> Iterator[ast.expr]:
    """The words of a list, of a sum of lists and of the variables in it."""
    if isinstance(node, ast.List):
        for element in node.elts:
            if isinstance(element, ast.Starred):
                yield from _words(element.value, find)
            else:
                yield _word(element, find)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _words(node.left, find)
        yield from _words(node.right, find)
    else:
        line = command_line(node, find) if isinstance(node, ast.Name) else None
        yield from line.elts if line is not None else [ast.Starred(node)]


def _word(node: ast.expr, find: Find) -> ast.expr:
    held = find(node.id) if isinstance(node, ast.Name) else None
    known = held is not None and isinstance(held.literal, ast.Constant)
    return held.literal if held is not None and held.literal is not None and known else node
