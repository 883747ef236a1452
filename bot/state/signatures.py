"""Signatures as text: parameters to source code and back, and which of two tells more."""

import ast
from collections.abc import Sequence

from bot.spec.model import Parameter
from bot.syntax import parse_expression


def render_parameters(parameters: Sequence[Parameter]) -> str:
    """Source code of a parameter list, valid Python whatever order the documents gave."""
    out: list[str] = []
    seen_default = False
    keyword_only = False
    for p in parameters:
        if p.name in ("/", "*"):
            out.append(p.name)
            keyword_only = keyword_only or p.name == "*"
            continue
        text = p.star + p.name
        if p.annotation:
            text += f": {p.annotation}"
        default = p.default
        if default is None and seen_default and not keyword_only and not p.star:
            default = "None"
        if default is not None and not p.star:
            text += f" = {default}" if p.annotation else f"={default}"
            seen_default = True
        keyword_only = keyword_only or p.star == "*"
        out.append(text)
    return ", ".join(out)


def parameters_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[Parameter, ...]:
    """The parameters of a definition, as the model holds them."""
    a = node.args
    out: list[Parameter] = []
    plain = [*a.posonlyargs, *a.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(a.defaults))
    defaults.extend(a.defaults)
    for index, (arg, default) in enumerate(zip(plain, defaults, strict=True), start=1):
        out.append(_parameter(arg, default))
        if a.posonlyargs and index == len(a.posonlyargs):
            out.append(Parameter(name="/"))
    if a.vararg:
        out.append(_parameter(a.vararg, None, "*"))
    elif a.kwonlyargs:
        out.append(Parameter(name="*"))
    for arg, default in zip(a.kwonlyargs, a.kw_defaults, strict=True):
        out.append(_parameter(arg, default))
    if a.kwarg:
        out.append(_parameter(a.kwarg, None, "**"))
    return tuple(out)


def _parameter(arg: ast.arg, default: ast.expr | None, star: str = "") -> Parameter:
    return Parameter(
        name=arg.arg,
        annotation=ast.unparse(arg.annotation) if arg.annotation else None,
        default=ast.unparse(default) if default is not None else None,
        star="**" if star == "**" else "*" if star == "*" else "",
    )


def is_expression(text: str) -> bool:
    """Whether the text can stand as a Python expression."""
    try:
        parse_expression(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(text.strip())


def richer(
    one: tuple[Parameter, ...] | None, other: tuple[Parameter, ...] | None
) -> tuple[Parameter, ...] | None:
    """The first list where both say the same names, filled up from the second; else the one that
    says more. None means that nobody has said anything."""
    if one is None or other is None:
        return one if one is not None else other
    a, b = _named(one), _named(other)
    if [p.name for p in a] == [p.name for p in b]:
        known = {p.name: p for p in b}
        return tuple(_filled(p, known.get(p.name)) for p in one)
    return one if len(a) >= len(b) else other


def _named(parameters: tuple[Parameter, ...]) -> list[Parameter]:
    return [p for p in parameters if p.name not in ("self", "cls", "/", "*")]


def _filled(p: Parameter, other: Parameter | None) -> Parameter:
    if other is None:
        return p
    return p.model_copy(
        update={
            "annotation": p.annotation or other.annotation,
            "default": p.default if p.default is not None else other.default,
            "star": p.star or other.star,
        }
    )


def accepts(parameters: tuple[Parameter, ...], positional: int, keywords: Sequence[str]) -> str:
    """Why a call with so many positional arguments and these keywords cannot bind; "" where it
    can. `self` and `cls` are not counted."""
    own = [p for p in parameters if p.name not in ("self", "cls")]
    slots: list[Parameter] = []
    keyword_only: list[Parameter] = []
    star = double = False
    bucket = slots
    for p in own:
        if p.name == "/":
            continue
        if p.name == "*" or p.star == "*":
            star = star or p.star == "*"
            bucket = keyword_only
        elif p.star == "**":
            double = True
        else:
            bucket.append(p)
    if positional > len(slots) and not star:
        return f"takes at most {len(slots)} positional arguments, {positional} are given"
    names = {p.name for p in (*slots, *keyword_only)}
    unknown = [k for k in keywords if k not in names]
    if unknown and not double:
        return f"has no parameter `{unknown[0]}`"
    given = {p.name for p in slots[:positional]} | set(keywords)
    missing = [p.name for p in (*slots, *keyword_only) if p.default is None and p.name not in given]
    return f"needs `{missing[0]}`, which is not given" if missing else ""
