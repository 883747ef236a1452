"""Which imports can be found: in the project, in the standard library, in the requirements."""

import ast
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Literal

import yaml

from bot.spec.model import Location
from bot.state.extract import absolute_module
from bot.verify.bindings import Function
from bot.verify.conditions import asks_platform, asks_typing, catches_import
from bot.verify.evidence import Evidence, Rule, Tool
from bot.verify.project import Module, Project
from bot.verify.standard import lacks_standard


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


@cache
def _brought_along() -> Mapping[str, list[str]]:
    text = resources.files("bot.verify").joinpath("brought_along.yaml").read_text("utf-8")
    table: dict[str, list[str]] = yaml.safe_load(text)
    return table


def is_available(root: str, installed: Collection[str]) -> bool:
    """Whether the top-level import name is in the standard library, or comes with one of
    `installed` (normalised distribution names)."""
    if root in sys.stdlib_module_names:
        return True
    plain = _normal(root)
    candidates = {plain, _normal(_distribution_of().get(root, root))}
    candidates |= {f"python-{plain}", f"{plain}-python", f"py{plain}"}
    return bool(candidates & set(installed)) or any(
        root in _brought_along().get(name, ()) for name in installed
    )


def verify_imports(module: Module, project: Project, installed: frozenset[str]) -> list[Evidence]:
    """Imports of one file that resolve to nothing; `installed` are normalised distribution
    names."""
    found: list[Evidence] = []
    optional = _optional(module.tree)
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        leniency = optional.get(node)
        if leniency == "all":
            continue
        known = None if leniency == "foreign" else installed
        found.extend(
            _fault(module.path, node, why) for why in _faults(node, module, project, known)
        )
    return found


Import = ast.Import | ast.ImportFrom


def _faults(
    node: Import, module: Module, project: Project, installed: frozenset[str] | None
) -> Iterator[str]:
    """Why an import fails; with `installed` None only what the project should hold is asked."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if why := _module_fault(alias.name, project, installed):
                yield why
        return
    source = absolute_module(module.path, node.module, node.level)
    if why := _module_fault(source, project, installed):
        yield why
        return
    for alias in node.names:
        if source != module.name and _is_missing(source, alias.name, project):
            yield f"imports `{alias.name}` from `{source}`, which does not define it"


def _optional(tree: ast.Module) -> dict[Import, Literal["all", "foreign"]]:
    """Imports that may fail: "all" below a `try` for ImportError or a question for the platform;
    "foreign" packages alone where the import is never run (TYPE_CHECKING), or run late in a file
    that reckons with ImportError."""
    found: dict[Import, Literal["all", "foreign"]] = {}
    reckons = any(isinstance(n, ast.ExceptHandler) and catches_import(n) for n in ast.walk(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(catches_import(h) for h in node.handlers):
            inside = [*node.body, *(s for h in node.handlers for s in h.body)]
            found.update((s, "all") for s in inside if isinstance(s, Import))
        elif isinstance(node, ast.If) and asks_platform(node.test):
            found.update((s, "all") for s in ast.walk(node) if isinstance(s, Import))
        elif _is_late(node, reckons):
            imports = [s for s in ast.walk(node) if isinstance(s, Import)]
            found.update((s, "foreign") for s in imports if s not in found)
    return found


def _is_late(node: ast.AST, reckons: bool) -> bool:
    if isinstance(node, ast.If):
        return asks_typing(node.test)
    return reckons and isinstance(node, Function)


def _module_fault(name: str, project: Project, installed: frozenset[str] | None) -> str:
    root = name.split(".")[0]
    if root in project.packages or root in project.modules:
        known = name in project.modules or name in project.packages
        return "" if known else f"imports `{name}`, and the project has no such module"
    if installed is not None and not is_available(root, installed):
        return (
            f"imports `{root}`, which is neither in the project, the standard library "
            "nor the requirements"
        )
    return ""


def _is_missing(module: str, name: str, project: Project) -> bool:
    """Whether an existing module is known not to hold a name, as submodule neither."""
    whole = f"{module}.{name}"
    if name == "*" or whole in project.modules or whole in project.packages:
        return False
    if module in project.modules:
        names = project.names_of(module)
        special = name.startswith("__") and name.endswith("__")
        return names is not None and name not in names and not special
    return module in project.packages or lacks_standard(module, name)


def _fault(path: str, node: Import, why: str) -> Evidence:
    return Evidence(
        tool=Tool.GATE,
        rule=Rule.IMPORT,
        subject=path,
        verdict="fault",
        detail=f"`{path}` {why}",
        location=Location(file=path, line=node.lineno, column=node.col_offset + 1),
    )
