"""What the diagrams know that helps to read the architecture document: classes and functions."""

from dataclasses import dataclass, field

from bot.spec.model import ClassDiagram


@dataclass(frozen=True)
class Evidence:
    """`methods` maps each class of the diagrams to its methods; `functions` are the names in
    boxes that stand for modules; `complete` says that a tool drew the classes from code, so that
    a class it does not show is none; `inheriting` are the classes that people drew without a
    constructor beside a related class that they drew with one."""

    methods: dict[str, frozenset[str]] = field(default_factory=dict)
    functions: frozenset[str] = frozenset()
    complete: bool = False
    inheriting: frozenset[str] = frozenset()

    def is_class(self, name: str) -> bool:
        return name in self.methods


def evidence(diagrams: tuple[ClassDiagram, ...]) -> Evidence:
    methods: dict[str, set[str]] = {}
    functions: set[str] = set()
    for diagram in diagrams:
        for box in diagram.classes:
            called = {m.name for m in box.members if m.kind == "method"}
            if box.hosts_globals or box.module:
                functions |= called
            elif box.declared:
                methods.setdefault(box.name.rpartition(".")[2], set()).update(called)
    return Evidence(
        methods={name: frozenset(called) for name, called in methods.items()},
        functions=frozenset(functions),
        complete=any(d.generated for d in diagrams),
        inheriting=_inheriting(diagrams),
    )


def _inheriting(diagrams: tuple[ClassDiagram, ...]) -> frozenset[str]:
    drawn: dict[str, set[str]] = {}
    related: dict[str, set[str]] = {}
    for diagram in diagrams:
        if diagram.generated:
            continue
        for box in diagram.classes:
            drawn.setdefault(box.name, set()).update(
                m.name for m in box.members if m.kind == "method"
            )
        for relation in diagram.relations:
            related.setdefault(relation.source, set()).add(relation.target)
            related.setdefault(relation.target, set()).add(relation.source)
    return frozenset(
        name
        for name, methods in drawn.items()
        if methods
        and "__init__" not in methods
        and any("__init__" in drawn.get(other, ()) for other in related.get(name, ()))
    )
