"""Calls that do not bind: too many arguments, one that is needed left out, a keyword that is not
taken (https://docs.python.org/3/reference/expressions.html#calls)."""

import ast
from collections.abc import Sequence

from bot.spec.model import Parameter
from bot.state.signatures import accepts, parameters_of
from bot.verify.bindings import Function, is_name, tail
from bot.verify.inference import ClassOf, FunctionOf, Inference, Known
from bot.verify.project import Class

_SAME_SIGNATURE = frozenset(
    {"staticmethod", "classmethod", "abstractmethod", "override", "final", "lru_cache", "cache"}
    | {"contextmanager", "asynccontextmanager"}
)


def misfit(called: Known, call: ast.Call, inference: Inference) -> str:
    """Why a call of something known cannot bind; "" where it can or nothing is known."""
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    if starred or any(k.arg is None for k in call.keywords):
        return ""
    if isinstance(called, FunctionOf):
        why = refusal(called, call)
        return why if why and not _fits_below(called, call, inference) else ""
    if isinstance(called, ClassOf) and isinstance(called.cls, Class):
        if is_name(call.func, "cls") and inference.descendants(called.cls):
            return ""
        return _refused_by_class(called.cls, call, inference)
    return ""


def refusal(called: FunctionOf, call: ast.Call) -> str:
    """Why a function does not take a call's arguments; "" where it does or a decorator may."""
    decorators = {tail(d) for d in called.node.decorator_list}
    loose = called.cls is not None and not called.bound and "staticmethod" not in decorators
    if loose or not decorators <= _SAME_SIGNATURE:
        return ""
    parameters = parameters_of(called.node)
    if called.bound and parameters and not parameters[0].star:
        parameters = parameters[1:]
    return _accepted(parameters, call)


def _accepted(parameters: Sequence[Parameter], call: ast.Call) -> str:
    """As `accepts`, which would leave out a plain parameter that is called like a receiver."""
    if any(p.name in ("self", "cls") for p in parameters):
        return ""
    return accepts(tuple(parameters), len(call.args), [k.arg for k in call.keywords if k.arg])


def _fits_below(called: FunctionOf, call: ast.Call, inference: Inference) -> bool:
    """Whether a class further down answers the call in another way."""
    below = inference.descendants(called.cls) if called.cls else ()
    for binding in (b for d in below for b in d.members.get(called.node.name, ())):
        if not isinstance(binding, Function):
            return True
        if not refusal(FunctionOf(binding, called.module, called.cls, called.bound), call):
            return True
    return False


def _refused_by_class(cls: Class, call: ast.Call, inference: Inference) -> str:
    """Why a class cannot be called so; the nearest `__init__` decides."""
    for place in inference.lineage(cls):
        if not isinstance(place, Class):
            given = place is object and (call.args or call.keywords)
            return "takes no arguments" if given else ""
        if place.open or "__new__" in place.members or place.node.keywords:
            return ""
        made = place.members.get("__init__", [])
        if len(made) == 1 and isinstance(made[0], Function):
            return refusal(FunctionOf(made[0], place.module, place, bound=True), call)
        if made:
            return ""
        if any(tail(d) == "dataclass" for d in place.node.decorator_list):
            fields = _fields(place.node)
            return _accepted(fields, call) if fields is not None else ""
    return ""


_SAME_FIELDS = frozenset({"frozen", "slots", "order", "eq", "repr", "unsafe_hash"})


def _fields(node: ast.ClassDef) -> list[Parameter] | None:
    """The parameters of a dataclass's `__init__`; None where the text alone does not tell
    (https://docs.python.org/3/library/dataclasses.html)."""
    options = [k.arg for d in node.decorator_list if isinstance(d, ast.Call) for k in d.keywords]
    if node.bases or not set(options) <= _SAME_FIELDS:
        return None
    found: list[Parameter] = []
    for stmt in node.body:
        if not isinstance(stmt, ast.AnnAssign) or not isinstance(stmt.target, ast.Name):
            continue
        kind = ast.unparse(stmt.annotation)
        given = _field_options(stmt.value)
        if "InitVar" in kind or "KW_ONLY" in kind or given & {"init", "kw_only"}:
            return None
        if "ClassVar" not in kind:
            bare = stmt.value is None or (given and not given & {"default", "default_factory"})
            found.append(Parameter(name=stmt.target.id, default=None if bare else "..."))
    return found


def _field_options(value: ast.expr | None) -> set[str]:
    """The keywords of `field(…)`, "field" with them; empty where a value is no such call."""
    if isinstance(value, ast.Call) and tail(value.func) == "field":
        return {"field", *(k.arg or "" for k in value.keywords)}
    return set()
