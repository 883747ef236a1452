"""What the standard library's most used modules hold, as this Python has them."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module, resources
from pkgutil import iter_modules

import yaml


@cache
def _quiet() -> frozenset[str]:
    text = resources.files("bot.verify").joinpath("standard_modules.yaml").read_text("utf-8")
    lines: list[list[str]] = yaml.safe_load(text)
    return frozenset(name for line in lines for name in line)


@cache
def standard_names(module: str) -> frozenset[str] | None:
    """The names of a module of the standard library, those of its submodules with them; None where
    it is not looked into."""
    if module not in _quiet():
        return None
    found = import_module(module)
    below = iter_modules(getattr(found, "__path__", ()))
    return frozenset(dir(found)) | {info.name for info in below}


def lacks_standard(module: str, name: str) -> bool:
    """Whether a known module of the standard library has no such public name."""
    names = standard_names(module)
    return names is not None and name not in names and not name.startswith("_")


def is_standard_class(name: str, methods: Iterable[str]) -> bool:
    """Whether a class of a known module of the standard library has this name and these methods."""
    wanted = frozenset(methods)
    return any(wanted <= names for names in _classes().get(name, ()))


@cache
def _classes() -> Mapping[str, tuple[frozenset[str], ...]]:
    """Class name -> the names that each class of that name holds."""
    found: dict[str, tuple[frozenset[str], ...]] = {}
    for module in _quiet():
        for name, value in vars(import_module(module)).items():
            if isinstance(value, type) and not name.startswith("_"):
                found[name] = (*found.get(name, ()), frozenset(dir(value)))
    return found
