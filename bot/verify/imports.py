"""Which imports can be found: in the project, in the standard library, in the requirements."""

import ast
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib import resources

import yaml

from bot.spec.model import Location
from bot.state.extract import absolute_module
from bot.state.model import module_name
from bot.verify.evidence import Evidence, Tool


@cache
def _distribution_of() -> Mapping[str, str]:
    text = resources.files("bot.verify").joinpath("import_names.yaml").read_text("utf-8")
    table: dict[str, str] = yaml.safe_load(text)
    return table


def distributions(requirements: Iterable[str]) -> frozenset[str]:
    """Normalised distribution names of requirement lines (PEP 503)."""
    names = (re.match(r"\s*([A-Za-z0-9][\w.-]*)", line) for line in requirements)
    return frozenset(_normal(m.group(1)) for m in names if m)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def is_available(root: str, installed: Collection[str]) -> bool:
    """Whether the top-level import name is in the standard library or in `installed`
    (normalised distribution names)."""
    if root in sys.stdlib_module_names:
        return True
    plain = _normal(root)
    candidates = {plain, _normal(_distribution_of().get(root, root))}
    candidates |= {f"python-{plain}", f"{plain}-python", f"py{plain}"}
    return bool(candidates & set(installed))


def verify_imports(
    path: str,
    tree: ast.Module,
    definitions: Mapping[str, Collection[str]],
    installed: frozenset[str],
) -> list[Evidence]:
    """Imports of one file that resolve to nothing.

    `definitions` maps dotted module names of the project to the names they bind; `installed` are
    normalised distribution names.
    """
    roots = {m.split(".")[0] for m in definitions}
    found: list[Evidence] = []
    guarded = _guarded(tree)
    for node in ast.walk(tree):
        if node in guarded:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                if why := _module_fault(alias.name, roots, definitions, installed):
                    found.append(_fault(path, node, why))
        elif isinstance(node, ast.ImportFrom):
            module = absolute_module(path, node.module, node.level)
            if why := _module_fault(module, roots, definitions, installed):
                found.append(_fault(path, node, why))
                continue
            for alias in node.names:
                if why := _name_fault(module, alias.name, definitions, path):
                    found.append(_fault(path, node, why))
    return found


def _guarded(tree: ast.Module) -> set[ast.stmt]:
    """Imports in a `try` that handles ImportError: optional on purpose."""
    out: set[ast.stmt] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(_catches_import(h) for h in node.handlers):
            inside = [*node.body, *(s for h in node.handlers for s in h.body)]
            out.update(s for s in inside if isinstance(s, ast.Import | ast.ImportFrom))
    return out


def _catches_import(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
    return bool(names & {"ImportError", "ModuleNotFoundError", "Exception"})


def _module_fault(
    module: str,
    roots: set[str],
    definitions: Mapping[str, Collection[str]],
    installed: frozenset[str],
) -> str:
    root = module.split(".")[0]
    if root in roots:
        known = module in definitions or any(m.startswith(f"{module}.") for m in definitions)
        return "" if known else f"imports `{module}`, and the project has no such module"
    if not is_available(root, installed):
        return (
            f"imports `{root}`, which is neither in the project, the standard library "
            "nor the requirements"
        )
    return ""


def _name_fault(
    module: str, name: str, definitions: Mapping[str, Collection[str]], path: str
) -> str:
    if module not in definitions or name == "*" or module == module_name(path):
        return ""
    names = definitions[module]
    if name in names or "*" in names or f"{module}.{name}" in definitions:
        return ""
    return f"imports `{name}` from `{module}`, which does not define it"


def _fault(path: str, node: ast.stmt, why: str) -> Evidence:
    return Evidence(
        tool=Tool.GATE,
        subject=path,
        verdict="fault",
        detail=f"`{path}` {why}",
        location=Location(file=path, line=node.lineno, column=node.col_offset + 1),
    )


def names_bound(tree: ast.Module) -> frozenset[str]:
    """Every name that a module binds at its top level; "*" where it imports everything from
    somewhere or answers unknown names itself (`__getattr__`)."""
    out: set[str] = {"__name__", "__doc__", "__file__"}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            out.add("*" if node.name == "__getattr__" else node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                out.add(alias.asname or alias.name.split(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            out.add(node.id)
    return frozenset(out)
