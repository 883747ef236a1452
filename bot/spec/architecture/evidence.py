"""What the diagrams know that helps to read the architecture document: classes and functions."""

from dataclasses import dataclass, field

from bot.spec.model import ClassDiagram


@dataclass(frozen=True)
class Evidence:
    """`methods` maps each class of the diagrams to its methods; `functions` are the names in
    boxes that stand for modules; `complete` says that a tool drew the classes from code, so that
    a class it does not show is none."""

    methods: dict[str, frozenset[str]] = field(default_factory=dict)
    functions: frozenset[str] = frozenset()
    complete: bool = False

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
    )
