"""What descriptions in plain words say of a structure: bases, dataclasses, re-exports. Pure."""

import re

from bot.state.model import Node, NodeKind, file_id, module_name

_REEXPORTS = re.compile(r"\b[Rr]e-?exports?\b")
_EVERYTHING = re.compile(r"\b(?:every|all|everything)\b.{0,12}\bpublic\b", re.IGNORECASE)
_CODE_NAME = re.compile(r"`([A-Za-z_]\w*)(?:\(\))?`")
_BASES_IN_PROSE = re.compile(
    r"\b(?:[Ss]ub-?class(?:es)? of|[Ii]nherit(?:s|ing)? from|[Ee]xtend(?:s|ing)?|[Dd]erived? from|"
    r"[Dd]erives from)\s+(?:the\s+)?`([A-Za-z_][\w.]*)`"
)
_LINKS = frozenset(["a", "an", "the", "of", "for", "with", "from"])
_ASKS = (("frozen", "frozen"), ("immutable", "frozen"), ("ordered", "order"))


def with_exports(nodes: dict[str, Node]) -> dict[str, Node]:
    """Add what a package's `__init__` is said to re-export: the names in its description, or
    every public name of the package where it says so."""
    out = dict(nodes)
    for init in list(nodes.values()):
        if init.name != "__init__.py" or not _REEXPORTS.search(init.purpose):
            continue
        for home in _exported(init, nodes):
            node = Node(
                id=file_id(init.path, home.name),
                kind=NodeKind.GLOBAL,
                name=home.name,
                parent=init.path,
                exported_from=module_name(home.path),
                asked=init.asked,
            )
            out.setdefault(node.id, node)
    return out


def _exported(init: Node, nodes: dict[str, Node]) -> list[Node]:
    """What an `__init__` re-exports: names at the top of one file below its package."""
    package = init.path.removesuffix("__init__.py")
    below = [
        n
        for n in nodes.values()
        if n.path.startswith(package)
        and n.path != init.path
        and "::" in n.id
        and n.parent == n.path
        and n.exported_from is None
    ]
    if _EVERYTHING.search(init.purpose):
        wanted = {n.name for n in below if not n.name.startswith("_")}
    else:
        wanted = set(_CODE_NAME.findall(init.purpose))
    by_name: dict[str, list[Node]] = {}
    for node in below:
        by_name.setdefault(node.name, []).append(node)
    return [by_name[name][0] for name in sorted(wanted) if len(by_name.get(name, ())) == 1]


def bases_in_prose(purpose: str) -> tuple[str, ...]:
    """Bases that a class's own description names, such as "Subclass of `Error` for …"."""
    return tuple(dict.fromkeys(_BASES_IN_PROSE.findall(purpose)))


def dataclass_in_prose(purpose: str) -> tuple[str, ...]:
    """The decorator that "A frozen, ordered dataclass …" asks for."""
    found = re.match(
        r"(?:An?|The)?\s*((?:[\w-]+,? (?:and )?){0,3})`?dataclass`?\b", purpose, re.IGNORECASE
    )
    said = re.findall(r"[\w-]+", found[1].lower()) if found else []
    if not found or not _LINKS.isdisjoint(said):
        return ()
    options = [f"{option}=True" for word, option in _ASKS if word in said]
    return (f"dataclass({', '.join(options)})",) if options else ("dataclass",)
