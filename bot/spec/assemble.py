"""Puts the parts of a spec together: reads the documents, places the classes, validates."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.spec.architecture.evidence import evidence
from bot.spec.architecture.plan import plan_files
from bot.spec.kinds import is_generated, is_tree_file
from bot.spec.markdown import all_sections
from bot.spec.mermaid.diagrams import DiagramFinder
from bot.spec.model import Document, DocumentKind, GivenFile, PresentFile, Problem, Spec
from bot.spec.placement import place
from bot.spec.validate import validate

_ORDER = (DocumentKind.PRD, DocumentKind.UML, DocumentKind.ARCHITECTURE, DocumentKind.OTHER)


@dataclass
class Parts:
    """What the author gave, sorted but not yet read; `where` is named for what is missing."""

    title: str
    documents: list[Document] = field(default_factory=list)
    check_tests: list[GivenFile] = field(default_factory=list)
    resources: list[GivenFile] = field(default_factory=list)
    present: list[PresentFile] = field(default_factory=list)
    requirements: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    check_tests_dir: str = "check_tests"
    where: str = "PRD.md"


def assemble(parts: Parts) -> Spec:
    """The spec that the parts make."""
    documents = tuple(
        sorted(parts.documents, key=lambda d: (_ORDER.index(d.kind), is_generated(d.file), d.file))
    )
    finder = DiagramFinder()
    for document in documents:
        finder.read(document, generated=is_generated(document.file))
    diagrams = finder.result()
    prose, trees = _architecture(documents)
    plan = plan_files(prose, trees, evidence(diagrams.classes))
    classes, files = place(diagrams.classes, diagrams.packages, plan.files)
    draft = Spec(
        title=parts.title,
        documents=documents,
        sections=all_sections(documents),
        class_diagrams=classes,
        sequence_diagrams=diagrams.sequences,
        package_diagrams=diagrams.packages,
        directories=plan.directories,
        files=files,
        check_tests=_by_path(parts.check_tests),
        resources=_by_path(parts.resources),
        present=tuple(parts.present),
        requirements=tuple(dict.fromkeys(parts.requirements)),
        derived=_derived(diagrams.classes != (), bool(files), bool(parts.check_tests)),
        digest=digest(documents, [*parts.check_tests, *parts.resources], parts.requirements),
    )
    found = [*parts.problems, *diagrams.problems, *plan.problems]
    found.extend(validate(draft, parts.check_tests_dir, parts.where))
    return draft.model_copy(update={"problems": _in_order(found, documents)})


def digest(
    documents: Iterable[Document], given: Iterable[GivenFile], requirements: Iterable[str]
) -> str:
    """SHA-256 over names and contents, each with its length, independent of order."""
    entries = [(f"document {d.kind} {d.file} {d.first_line}", d.text) for d in documents]
    entries += [(f"given {g.encoding} {g.path}", g.text) for g in given]
    entries += [("requirement", r) for r in requirements]
    total = hashlib.sha256()
    for name, text in sorted(entries):
        for value in (name.encode(), text.encode("utf-8", "surrogatepass")):
            total.update(f"{len(value)}:".encode() + value)
    return total.hexdigest()


def _architecture(documents: tuple[Document, ...]) -> tuple[list[Document], list[Document]]:
    """The documents that plan files, and those that are a bare tree. Without an architecture
    document the others may hold a tree."""
    planned = [d for d in documents if d.kind is DocumentKind.ARCHITECTURE]
    if not planned:
        planned = [d for d in documents if d.kind is not DocumentKind.UML]
    return (
        [d for d in planned if not is_tree_file(d.file)],
        [d for d in planned if is_tree_file(d.file)],
    )


def _derived(uml: bool, architecture: bool, tests: bool) -> tuple[str, ...]:
    given = {"uml": uml, "architecture": architecture, "check_tests": tests}
    return tuple(name for name, there in given.items() if not there)


def _by_path(files: list[GivenFile]) -> tuple[GivenFile, ...]:
    return tuple(sorted({f.path: f for f in files}.values(), key=lambda f: f.path))


def _in_order(found: list[Problem], documents: tuple[Document, ...]) -> tuple[Problem, ...]:
    """Problems by document and line, the fatal ones first, each once."""
    order = {d.file: i for i, d in enumerate(documents)}
    unique = dict.fromkeys(found)

    def key(p: Problem) -> tuple[bool, int, str, int, int, str]:
        place = p.location
        return (
            p.severity != "fatal",
            order.get(place.file, len(order)),
            place.file,
            place.line,
            place.column,
            p.code,
        )

    return tuple(sorted(unique, key=key))
