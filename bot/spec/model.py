"""What an issue asked for, parsed: documents, sections, diagrams, planned files, check tests.

Lines and columns count from 1 and refer to the document as the author wrote it.
"""

from enum import StrEnum
from typing import Literal

from bot.base import Data


class Location(Data):
    """A place in one document; `file` is the document's name as the author knows it."""

    file: str
    line: int = 1
    column: int = 1


class DocumentKind(StrEnum):
    PRD = "prd"
    UML = "uml"
    ARCHITECTURE = "architecture"
    OTHER = "other"


class Document(Data):
    """One text that the author gave; `first_line` is its first line within `file`."""

    file: str
    kind: DocumentKind
    text: str
    first_line: int = 1


class Section(Data):
    """A headed part of a document; `id` is stable, such as `prd/features/error-handling`."""

    id: str
    kind: DocumentKind
    title: str
    level: int
    text: str
    location: Location


class Parameter(Data):
    """A parameter as written; `star` is "", "*" or "**"; `/` and bare `*` keep their own name."""

    name: str
    annotation: str | None = None
    default: str | None = None
    star: Literal["", "*", "**"] = ""


class Member(Data):
    """A member of a UML class. `parameters` is None for attributes, and for methods the
    parameters as written; `open_ended` says that the author wrote `...` among them."""

    name: str
    kind: Literal["attribute", "method"]
    visibility: Literal["+", "-", "#", "~", ""] = ""
    type: str | None = None
    parameters: tuple[Parameter, ...] | None = None
    open_ended: bool = False
    static: bool = False
    abstract: bool = False
    text: str
    location: Location


class UmlClass(Data):
    """A class box. `hosts_globals` marks a box that stands for module-level functions;
    `module` is the module it stands for where the name or stereotype tells. `notes` are members
    that are prose, kept as written; `open_ended` says that the author wrote `...` as a member."""

    name: str
    stereotypes: tuple[str, ...] = ()
    namespace: str | None = None
    members: tuple[Member, ...] = ()
    hosts_globals: bool = False
    module: str | None = None
    external: bool = False
    declared: bool = True
    notes: tuple[str, ...] = ()
    open_ended: bool = False
    location: Location


class RelationKind(StrEnum):
    INHERIT = "inherit"
    REALIZE = "realize"
    COMPOSE = "compose"
    AGGREGATE = "aggregate"
    ASSOCIATE = "associate"
    USE = "use"


class UmlRelation(Data):
    """`source` depends on `target`: the child on its parent, the whole on its part, the user on
    the used."""

    source: str
    target: str
    kind: RelationKind
    label: str = ""
    location: Location


class ClassDiagram(Data):
    """`generated` says that a tool drew the diagram from code, such as pyreverse; hand-written
    diagrams stand before it and win over it."""

    classes: tuple[UmlClass, ...]
    relations: tuple[UmlRelation, ...]
    generated: bool = False
    location: Location


class Participant(Data):
    """`name` is what messages call it, `title` what the author shows."""

    name: str
    title: str
    actor: bool = False
    location: Location


class Message(Data):
    """A message of a sequence diagram; `method` is the called name where the text is a call."""

    source: str
    target: str
    text: str
    method: str | None = None
    arguments: str | None = None
    reply: bool = False
    location: Location


class SequenceDiagram(Data):
    participants: tuple[Participant, ...]
    messages: tuple[Message, ...]
    location: Location


class GraphNode(Data):
    id: str
    title: str
    group: tuple[str, ...] = ()
    location: Location


class GraphEdge(Data):
    source: str
    target: str
    label: str = ""
    location: Location


class PackageDiagram(Data):
    """A package, flow or graph diagram; `group` of a node is the chain of subgraph titles."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    location: Location


class PlannedFunction(Data):
    """A function or method that the architecture document asks for."""

    name: str
    parameters: tuple[Parameter, ...] | None = None
    returns: str | None = None
    decorators: tuple[str, ...] = ()
    is_async: bool = False
    responsibility: str = ""
    location: Location


class PlannedVariable(Data):
    """A module or class variable, constant or re-export."""

    name: str
    annotation: str | None = None
    value: str | None = None
    responsibility: str = ""
    location: Location


class PlannedClass(Data):
    """A class that the architecture document asks for; a data class has its fields as attributes
    and `dataclass` among its `decorators`."""

    name: str
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    responsibility: str = ""
    methods: tuple[PlannedFunction, ...] = ()
    attributes: tuple[PlannedVariable, ...] = ()
    classes: tuple["PlannedClass", ...] = ()
    location: Location


class PlannedFile(Data):
    """A file of the architecture document; `path` is POSIX and relative to the repository."""

    path: str
    responsibility: str = ""
    classes: tuple[PlannedClass, ...] = ()
    functions: tuple[PlannedFunction, ...] = ()
    variables: tuple[PlannedVariable, ...] = ()
    in_tree: bool = True
    location: Location

    @property
    def defines(self) -> bool:
        """Whether anything is said of its classes or functions."""
        return bool(self.classes or self.functions)


class GivenFile(Data):
    """A file that the author gives with the spec: a check test or data; text where it decodes
    as UTF-8, else base64."""

    path: str
    text: str
    encoding: Literal["utf-8", "base64"] = "utf-8"


class PresentFile(Data):
    """A data file that stands in the repository already, with the beginning of its text; "" where
    it is none."""

    path: str
    beginning: str = ""


class Severity(StrEnum):
    FATAL = "fatal"
    WARNING = "warning"
    NOTE = "note"


class Problem(Data):
    """One finding about the spec, one sentence, with a hint; `code` is stable for scripts."""

    severity: Severity
    code: str
    location: Location
    message: str
    hint: str = ""


class Spec(Data):
    """Everything the author said, parsed; `digest` is the SHA-256 of the texts and given files.

    `check_tests` are the protected specification and `resources` other given files, with paths as
    they stand in the repository; `present` are data files that it holds without the spec naming
    them. `requirements` are pip requirement lines. `derived` names what the run must derive because
    the author did not give it ("uml", "architecture", "check_tests").
    """

    title: str
    documents: tuple[Document, ...]
    sections: tuple[Section, ...]
    class_diagrams: tuple[ClassDiagram, ...] = ()
    sequence_diagrams: tuple[SequenceDiagram, ...] = ()
    package_diagrams: tuple[PackageDiagram, ...] = ()
    directories: tuple[str, ...] = ()
    files: tuple[PlannedFile, ...] = ()
    check_tests: tuple[GivenFile, ...] = ()
    resources: tuple[GivenFile, ...] = ()
    present: tuple[PresentFile, ...] = ()
    requirements: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    derived: tuple[str, ...] = ()
    digest: str

    @property
    def fatal(self) -> tuple[Problem, ...]:
        return tuple(p for p in self.problems if p.severity is Severity.FATAL)
