"""Bodies that only pretend: `pass`, `...`, NotImplementedError where something was asked for."""

import ast
import re
from collections.abc import Iterator

from bot.spec.model import Location
from bot.state.extract import statements
from bot.verify.bindings import tail
from bot.verify.evidence import Evidence, Rule, Tool
from bot.verify.inference import Inference
from bot.verify.project import Class, Module

Definition = ast.FunctionDef | ast.AsyncFunctionDef

_ABSTRACT = frozenset({"abstractmethod", "abstractproperty", "overload"})
_NEVER = frozenset({"NoReturn", "Never"})
_NULL_OBJECT = re.compile(r"(?:^|_)(?:Fake|Null|Dummy|No[Oo]p|Stub)")

_DEFAULT_CALLBACK = re.compile(r"_?(?:no_?op|do_nothing|ignore|default_on_\w+)$")


def verify_placeholders(module: Module, inference: Inference) -> list[Evidence]:
    """Functions of one file whose body does nothing, except where Python wants it so or a class of
    the project fills it in."""
    return [
        Evidence(
            tool=Tool.GATE,
            rule=Rule.PLACEHOLDER,
            subject=f"{module.path}::{qualname}",
            verdict="fault",
            detail=f"`{qualname}` in `{module.path}` is a placeholder: its body does nothing",
            location=Location(file=module.path, line=node.lineno, column=node.col_offset + 1),
        )
        for qualname, node in _hollow(module.tree.body, "", None, inference)
    ]


def _hollow(
    body: list[ast.stmt], prefix: str, cls: Class | None, inference: Inference
) -> Iterator[tuple[str, Definition]]:
    for node in statements(body):
        if isinstance(node, ast.ClassDef):
            inner = inference.project.classes[node]
            if not _is_interface(inner, inference):
                yield from _hollow(node.body, f"{prefix}{node.name}.", inner, inference)
        elif isinstance(node, Definition) and not is_placeholder(node):
            yield from _hollow(node.body, f"{prefix}{node.name}.", None, inference)
        elif isinstance(node, Definition) and not _may_be(node):
            on_purpose = (
                _is_hook(node, cls, inference) if cls else _DEFAULT_CALLBACK.match(node.name)
            )
            if not on_purpose:
                yield f"{prefix}{node.name}", node


def _is_interface(cls: Class, inference: Inference) -> bool:
    """Protocols, null objects, and abstract classes that no class of the project fills in."""
    bases = {tail(b) for b in cls.node.bases}
    if "Protocol" in bases or _NULL_OBJECT.search(cls.name):
        return True
    abstract = "ABC" in bases or any(k.arg == "metaclass" for k in cls.node.keywords)
    return abstract and not inference.descendants(cls)


def _is_hook(node: Definition, cls: Class, inference: Inference) -> bool:
    """A method that a class below fills in, or that says why it switches off the one above."""
    if any(node.name in below.members for below in inference.descendants(cls)):
        return True
    above = inference.lineage(cls)[1:]
    overrides = any(isinstance(c, Class) and node.name in c.members for c in above)
    raises = any(isinstance(s, ast.Raise) for s in node.body)
    return overrides and not raises and ast.get_docstring(node) is not None


def is_placeholder(node: Definition) -> bool:
    """Whether nothing but a docstring, `pass`, `...` or `raise NotImplementedError` is there."""
    rest = [s for s in node.body if not _is_docstring(s)]
    return not rest or (len(rest) == 1 and _does_nothing(rest[0]))


def _is_docstring(stmt: ast.stmt) -> bool:
    return (
        isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Constant)
        and isinstance(stmt.value.value, str)
    )


def _does_nothing(stmt: ast.stmt) -> bool:
    if isinstance(stmt, ast.Pass):
        return True
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant):
        return stmt.value.value is ...
    if isinstance(stmt, ast.Raise) and stmt.exc is not None:
        raised = stmt.exc.func if isinstance(stmt.exc, ast.Call) else stmt.exc
        return (
            isinstance(raised, ast.Name)
            and raised.id == "NotImplementedError"
            and not (isinstance(stmt.exc, ast.Call) and stmt.exc.args)
        )
    return False


def _may_be(node: Definition) -> bool:
    """Abstract methods and overloads are hollow by design, and so may be `__init__` and the
    methods of a context manager or visitor that `pass` deliberately does nothing in."""
    decorators = {tail(d) for d in node.decorator_list}
    never = node.returns is not None and tail(node.returns) in _NEVER
    rest = [s for s in node.body if not _is_docstring(s)]
    only_pass = bool(rest) and isinstance(rest[0], ast.Pass)
    dunder = node.name.startswith("__") and node.name.endswith("__")
    return never or bool(decorators & _ABSTRACT) or (only_pass and dunder)
