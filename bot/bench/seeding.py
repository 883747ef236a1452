"""Faults of six kinds, seeded into references: the same ones each time, spread over the text."""

import ast
from collections.abc import Callable, Iterator, Mapping

from bot.base import Data
from bot.bench.landmarks import Definition, Landmarks
from bot.state.signatures import parameters_of


class Edit(Data):
    """One place where a fault can be seeded. Lines count from 1, columns are in UTF-8 bytes from
    0. `visible` says that the text of the project alone proves the fault."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    visible: bool


class Seed(Data):
    """A source with one fault in it."""

    kind: str
    edit: Edit
    source: str


def seeds_of(sources: Mapping[str, str], most: int) -> Iterator[Seed]:
    """At most `most` faults of each kind, evenly spread over all places that the kind has."""
    marks = Landmarks.of(sources)
    for kind, places in KINDS.items():
        found = sorted(places(marks), key=lambda e: (e.path, e.line, e.column))
        count = min(most, len(found))
        for i in range(count):
            edit = found[i * len(found) // count]
            yield Seed(kind=kind, edit=edit, source=_edited(sources[edit.path], edit))


def _edited(source: str, edit: Edit) -> str:
    lines = source.encode().split(b"\n")
    head = lines[edit.line - 1][: edit.column]
    rest = lines[edit.end_line - 1][edit.end_column :]
    middle = head + edit.text.encode() + rest
    return b"\n".join([*lines[: edit.line - 1], middle, *lines[edit.end_line :]]).decode()


def _edit(path: str, node: ast.expr | ast.stmt, text: str, visible: bool) -> Edit:
    return Edit(
        path=path,
        line=node.lineno,
        column=node.col_offset,
        end_line=node.end_lineno or node.lineno,
        end_column=node.end_col_offset or node.col_offset,
        text=text,
        visible=visible,
    )


def _renamed(path: str, node: ast.expr, name: str, visible: bool) -> Edit:
    """The last name of an expression, exchanged."""
    whole = _edit(path, node, name, visible)
    old = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    start = whole.end_column - len(old.encode())
    return whole.model_copy(update={"line": whole.end_line, "column": start})


def _calls(marks: Landmarks) -> Iterator[tuple[str, ast.Call]]:
    for path, tree in marks.trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield path, node


def _renamed_calls(marks: Landmarks) -> Iterator[Edit]:
    """A call by a name that was changed elsewhere: any call of something the project defines."""
    for path, call in _calls(marks):
        func = call.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name in marks.definitions:
            visible = marks.named(path, func) is not None
            yield _renamed(path, func, f"{name}_anew", visible)


def _misspelt_attributes(marks: Landmarks) -> Iterator[Edit]:
    """An attribute of the project with two letters exchanged, where it is read."""
    called = {call.func for _, call in _calls(marks)}
    for path, tree in marks.trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or node in called:
                continue
            wrong = _misspelt(node.attr)
            read = isinstance(node.ctx, ast.Load) and node.attr in marks.attributes
            if read and wrong not in marks.attributes and not node.attr.startswith("__"):
                yield _renamed(path, node, wrong, _is_known_member(marks, path, node))


def _misspelt(name: str) -> str:
    middle = len(name) // 2
    swapped = name[: middle - 1] + name[middle] + name[middle - 1] + name[middle + 1 :]
    return swapped if len(name) > 2 and swapped != name else f"{name}x"


def _is_known_member(marks: Landmarks, path: str, node: ast.Attribute) -> bool:
    """`self.x` in a class whose bases are all of the project, or `module.x`."""
    if not isinstance(node.value, ast.Name):
        return False
    if node.value.id == "self":
        cls = marks.class_of(node)
        return cls is not None and node.attr in (marks.members(cls) or {})
    return marks.named(path, node) is not None


def _wrong_arguments(marks: Landmarks) -> Iterator[Edit]:
    """One argument too many, or one that is needed left out."""
    for path, call in _calls(marks):
        splat = any(isinstance(a, ast.Starred) for a in call.args)
        if splat or any(k.arg is None for k in call.keywords):
            continue
        target = marks.target(path, call)
        node = target.node if target else _only_method(marks, call)
        if node is None:
            continue
        given = target.given if target else 1
        plain = [p for p in parameters_of(node) if not p.star and p.name not in ("*", "/")]
        needed = [p for p in plain[given:] if p.default is None]
        changed = ast.Call(call.func, list(call.args), list(call.keywords))
        if call.args and len(call.args) <= len(needed):
            changed.args.pop()
        elif len(call.args) >= len(plain) - given and not any(
            p.star == "*" for p in parameters_of(node)
        ):
            changed.args.append(ast.Constant(None))
        else:
            continue
        yield _edit(path, call, ast.unparse(changed), target is not None)


def _only_method(marks: Landmarks, call: ast.Call) -> Definition | None:
    """The only definition of a method's name, where its owner is not known."""
    if not isinstance(call.func, ast.Attribute):
        return None
    found = marks.definitions.get(call.func.attr, [])
    only = found[0] if len(found) == 1 else None
    return only if isinstance(only, Definition) and not only.decorator_list else None


def _dropped_imports(marks: Landmarks) -> Iterator[Edit]:
    """One imported name less."""
    wanted = {v for path in marks.trees for v in marks.imports(path).values()}
    for path, tree in marks.trees.items():
        bound = marks.bound(path)
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        package = path.removesuffix("/__init__.py").replace("/", ".")
        for node in ast.walk(tree):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if getattr(node, "module", "") == "__future__" or _is_optional(marks, node):
                continue
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                rest = [a for a in node.names if a is not alias]
                text = ast.unparse(_with_names(node, rest)) if rest else "pass"
                needed = name in used or f"{package}.{name}" in wanted
                yield _edit(path, node, text, needed and bound[name] == 1)


def _with_names(
    node: ast.Import | ast.ImportFrom, names: list[ast.alias]
) -> ast.Import | ast.ImportFrom:
    if isinstance(node, ast.Import):
        return ast.Import(names)
    return ast.ImportFrom(node.module, names, node.level)


def _is_optional(marks: Landmarks, node: ast.stmt) -> bool:
    return any(isinstance(n, ast.Try | ast.If) for n in marks.around(node))


def _missing_returns(marks: Landmarks) -> Iterator[Edit]:
    """A `return` that is forgotten: its value is computed and dropped."""
    users = _used_results(marks)
    for path, tree in marks.trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Return) or node.value is None:
                continue
            function = marks.function_of(node)
            if function is None or isinstance(node.value, ast.Constant):
                continue
            last = node is function.body[-1]
            promised = last and _promises(function)
            only = last and function in users and len(_values_returned(function)) == 1
            yield _edit(path, node, ast.unparse(node.value), promised or only)


def _promises(function: Definition) -> bool:
    """Whether the written type leaves no room for None."""
    if function.returns is None or isinstance(function, ast.AsyncFunctionDef):
        return False
    text = ast.unparse(function.returns)
    vague = ("None", "Optional", "Any", "object", "Generator", "Iter", "Self")
    return not any(word in text for word in vague)


def _values_returned(function: Definition) -> list[ast.Return]:
    return [n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]


def _used_results(marks: Landmarks) -> set[Definition]:
    """Functions whose result some call keeps, compares or passes on."""
    found: set[Definition] = set()
    for path, call in _calls(marks):
        use = marks.parents.get(call)
        target = marks.target(path, call)
        if target and isinstance(use, ast.Assign | ast.Call | ast.BinOp | ast.Attribute):
            found.add(target.node)
    return found


_HOLLOW = ("pass", "raise NotImplementedError", "...")


def _placeholders(marks: Landmarks) -> Iterator[Edit]:
    """A body that is not written; the docstring stays."""
    for path, tree in marks.trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, Definition) or node.name.startswith("__"):
                continue
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if not body or node.decorator_list or _is_hollow(body) or body[0].lineno == node.lineno:
                continue
            whole = _edit(path, body[0], _HOLLOW[node.lineno % len(_HOLLOW)], True)
            last = body[-1]
            yield whole.model_copy(
                update={"end_line": last.end_lineno, "end_column": last.end_col_offset}
            )


def _is_hollow(body: list[ast.stmt]) -> bool:
    return all(isinstance(s, ast.Pass | ast.Raise | ast.Expr) for s in body)


KINDS: Mapping[str, Callable[[Landmarks], Iterator[Edit]]] = {
    "renamed_call": _renamed_calls,
    "dropped_import": _dropped_imports,
    "wrong_argument_count": _wrong_arguments,
    "misspelt_attribute": _misspelt_attributes,
    "missing_return": _missing_returns,
    "placeholder": _placeholders,
}
