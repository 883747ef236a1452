"""Relations guessed from the diagrams, and from what check tests replace."""

import re
from collections.abc import Iterator, Mapping, Set
from pathlib import PurePosixPath

from bot.spec.model import RelationKind as Arrow
from bot.spec.model import Spec
from bot.state.guesses import homes_at_top, predicted
from bot.state.model import Node, Relation, RelationKind, module_name
from bot.state.participants import Cast


def messages(spec: Spec, cast: Cast) -> Iterator[Relation]:
    """A message A -> B : m() means that code of A calls m of B. Where A is no file or class, such
    as a box of functions, it is the function that runs there."""
    for diagram in spec.sequence_diagrams:
        titles = {p.name: (p.title, p.name) for p in diagram.participants}
        who = {name: cast.find(*said) for name, said in titles.items()}
        running: dict[str, list[str]] = {}
        for message in diagram.messages:
            inside = running.get(message.source, [])
            if message.reply:
                del inside[-1:]
                continue
            source = who.get(message.source) or (inside[-1] if inside else None)
            owner = who.get(message.target)
            called = cast.method(owner, message.method) if message.method else None
            if called is not None:
                running.setdefault(message.target, []).append(called)
            if source is not None and called is not None:
                yield predicted(source, called, RelationKind.CALL, "sequence", 0.7)
            elif source is not None and owner is not None and message.method:
                yield predicted(source, owner, RelationKind.USE, "sequence", 0.5)


def arrows(spec: Spec, cast: Cast, bare: Set[str]) -> Iterator[Relation]:
    """Arrows of class and package diagrams. One to the package around a module, where that package
    defines nothing, means no more than that the module belongs there."""

    def weight(source: str, target: str) -> float:
        package = target.partition("::")[0]
        inside = source.startswith(package.removesuffix("__init__.py")) and not _starts(source)
        return 0.35 if package in bare and inside else 0.7

    for classes in spec.class_diagrams:
        for r in classes.relations:
            source, target = cast.find(r.source), cast.find(r.target)
            inherits = r.kind in (Arrow.INHERIT, Arrow.REALIZE)
            kind = RelationKind.INHERIT if inherits else RelationKind.USE
            if source is not None and target is not None:
                yield predicted(source, target, kind, "diagram", weight(source, target))
    for package in spec.package_diagrams:
        titles = {n.id: cast.find(n.title, n.id) for n in package.nodes}
        for edge in package.edges:
            source, target = titles.get(edge.source), titles.get(edge.target)
            if source is not None and target is not None:
                files = source.partition("::")[0], target.partition("::")[0]
                yield predicted(*files, RelationKind.USE, "diagram", weight(*files))


def _starts(source: str) -> bool:
    """Whether a file starts the program: it uses the package as others do."""
    return PurePosixPath(source.partition("::")[0]).name in ("__main__.py", "cli.py")


_DOTTED = re.compile(r"""["']((?:\w+\.)+\w+)["']""")


def replaced(spec: Spec, nodes: Mapping[str, Node]) -> Iterator[Relation]:
    """A name that check tests replace in one module, such as `"pkg.app.now"`, and another one
    defines: the first imports it from there."""
    modules = {module_name(p): p for p in nodes if p.endswith(".py")}
    homes = homes_at_top(nodes.values())
    for given in spec.check_tests:
        for dotted in set(_DOTTED.findall(given.text)) - modules.keys():
            parts = dotted.split(".")
            cut = next(
                (c for c in range(len(parts) - 1, 0, -1) if ".".join(parts[:c]) in modules), 0
            )
            if not cut:
                continue
            source = modules[".".join(parts[:cut])]
            own = parts[:cut] if source.endswith("__init__.py") else parts[: cut - 1]
            target = modules.get(".".join([*own, parts[cut]]), homes.get(parts[cut]))
            if target is not None:
                yield predicted(source, target, RelationKind.USE, "tests", 0.8)
