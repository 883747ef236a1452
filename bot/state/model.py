"""The evolving project state P = (N, Rp, Rr, A, V) of EvoCodeAgent (arXiv 2611.06328, III-A)."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import PurePosixPath

from bot.base import Data
from bot.spec.model import Location, Parameter


class NodeKind(StrEnum):
    MODULE = "module"
    FILE = "file"
    CLASS = "class"
    FUNCTION = "function"
    GLOBAL = "global"


class Attribute(Data):
    """An attribute of a class, as far as the documents or the code tell. `holds` is the
    annotation or the call from which the class of what a method gives it is known."""

    name: str
    annotation: str | None = None
    value: str | None = None
    holds: str | None = None


class Interface(Data):
    """How a function is called."""

    parameters: tuple[Parameter, ...]
    returns: str | None = None
    is_async: bool = False


class Node(Data):
    """One place of the structure.

    `id` is `pkg` (module), `pkg/a.py` (file) or `pkg/a.py::C.m` (what a file holds).
    `parameters` is None where nobody has said what a function takes. `exported_from` is the module
    a name is imported from where a global is a re-export; `value` is its name there where that
    differs. `asked` says where the documents ask for it; empty for what only the code knows.
    `realized` says that the code holds it, as last reconciled; `planned` is the interface that the
    plan gave a function, where the code's is another.
    """

    id: str
    kind: NodeKind
    name: str
    parent: str | None = None
    purpose: str = ""
    parameters: tuple[Parameter, ...] | None = None
    returns: str | None = None
    decorators: tuple[str, ...] = ()
    is_async: bool = False
    bases: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    annotation: str | None = None
    value: str | None = None
    exported_from: str | None = None
    asked: tuple[Location, ...] = ()
    realized: bool = False
    planned: Interface | None = None

    @property
    def path(self) -> str:
        """The file (or folder) in which the node stands."""
        return self.id.partition("::")[0]

    @property
    def qualname(self) -> str:
        """The dotted name within its file, empty for files and modules."""
        return self.id.partition("::")[2]


class RelationKind(StrEnum):
    IMPORT = "import"
    CALL = "call"
    INHERIT = "inherit"
    USE = "use"


class Relation(Data):
    """`source` depends on `target`; both are node ids. `signal` says how it is known: "ast",
    "typing" or "star" for realized ones (the last two are kinds of imports), what predicted it for
    predicted ones."""

    source: str
    target: str
    kind: RelationKind
    origin: str
    signal: str
    weight: float = 1.0

    @property
    def files(self) -> tuple[str, str]:
        """The files in which source and target stand."""
        return self.source.partition("::")[0], self.target.partition("::")[0]


class Snapshot(Data):
    """The artifacts of one iteration, as the commit that holds them."""

    phase: str
    iteration: int
    commit: str


class RepairTarget(Data):
    """Something to mend: which file or node, why, and the tests that it would unlock."""

    path: str
    node: str | None = None
    reason: str
    tests: tuple[str, ...] = ()


class Feedback(Data):
    """What the last verification found (V)."""

    missing_files: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    failed_tests: tuple[str, ...] = ()
    targets: tuple[RepairTarget, ...] = ()


class ProjectState(Data):
    """N, Rp, Rr, A and V at one iteration; nodes are sorted by id, realized relations by source."""

    nodes: tuple[Node, ...] = ()
    predicted: tuple[Relation, ...] = ()
    realized: tuple[Relation, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    feedback: Feedback = Feedback()

    def node(self, node_id: str) -> Node | None:
        return next((n for n in self.nodes if n.id == node_id), None)

    def files(self) -> tuple[Node, ...]:
        return tuple(n for n in self.nodes if n.kind is NodeKind.FILE)

    def python_files(self) -> tuple[Node, ...]:
        return tuple(n for n in self.files() if n.path.endswith(".py"))

    def children(self, node_id: str) -> tuple[Node, ...]:
        return tuple(n for n in self.nodes if n.parent == node_id)

    def inside(self, path: str) -> Iterator[Node]:
        """What a file holds, in order of id."""
        return (n for n in self.nodes if n.id.startswith(f"{path}::"))


def file_id(path: str, qualname: str = "") -> str:
    return f"{path}::{qualname}" if qualname else path


def module_name(path: str) -> str:
    """The dotted import name of a Python file that stands below an importable root."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if parts and parts[0] == "src":
        parts = parts[1:]
    if parts and parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


def ordered(nodes: dict[str, Node]) -> tuple[Node, ...]:
    """Nodes by id, the canonical order of a state."""
    return tuple(nodes[key] for key in sorted(nodes))
