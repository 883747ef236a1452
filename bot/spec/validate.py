"""Finds what is missing from a spec and what contradicts itself, each in one sentence."""

from collections.abc import Iterator

from bot.spec.check_tests import check_test_problems
from bot.spec.languages import language_problems
from bot.spec.model import (
    ClassDiagram,
    DocumentKind,
    Location,
    PlannedClass,
    Problem,
    Spec,
    UmlClass,
)
from bot.spec.problems import problem

_NAMED_AT_MOST = 6


def validate(spec: Spec, check_tests_dir: str, where: str) -> tuple[Problem, ...]:
    """All problems that only show when the documents are seen together. `where` names the place of
    what is missing altogether."""
    return (
        *_missing(spec, check_tests_dir, Location(file=where)),
        *_undescribed(spec),
        *_unplaced(spec),
        *_members(spec),
        *language_problems(spec),
        *check_test_problems(spec, check_tests_dir),
    )


def written_diagrams(spec: Spec) -> tuple[ClassDiagram, ...]:
    """The class diagrams that people drew; those of a tool only where there are no others."""
    written = tuple(d for d in spec.class_diagrams if not d.generated)
    return written or spec.class_diagrams


def _missing(spec: Spec, check_tests_dir: str, place: Location) -> Iterator[Problem]:
    prds = [d for d in spec.documents if d.kind is DocumentKind.PRD]
    said = any(x.strip() and x[0] != "#" for d in prds for x in d.text.split("\n"))
    if not prds:
        yield problem("prd-missing", place)
    elif not said:
        yield problem("prd-empty", Location(file=prds[0].file, line=prds[0].first_line))
    else:
        place = Location(file=prds[0].file)
    if "uml" in spec.derived:
        yield problem("uml-missing", place)
    if "architecture" in spec.derived:
        yield problem("architecture-missing", place)
    if "check_tests" in spec.derived:
        yield problem("check-tests-missing", place, folder=check_tests_dir)


def _undescribed(spec: Spec) -> Iterator[Problem]:
    """Python files of the tree that nothing is said about; `__init__.py` needs no words."""
    for file in spec.files:
        plain = file.path.endswith(".py") and not file.path.endswith("__init__.py")
        if plain and not (file.responsibility or file.defines or file.variables):
            yield problem("file-undescribed", file.location, path=file.path)


def _unplaced(spec: Spec) -> Iterator[Problem]:
    """Boxes and functions of the UML for which no planned file stands."""
    if not any(f.path.endswith(".py") for f in spec.files):
        return
    classes = {name for f in spec.files for c in f.classes for name in _names(c)}
    functions = {fn.name for f in spec.files for fn in f.functions}
    seen: set[str] = set()
    for diagram in written_diagrams(spec):
        for box in diagram.classes:
            if box.name in seen:
                continue
            seen.add(box.name)
            if box.hosts_globals or box.module:
                lost = [m.name for m in box.members if m.kind == "method"]
                lost = [name for name in lost if name not in functions]
                if lost:
                    named = _listed(lost)
                    yield problem("function-unplaced", box.location, names=named, box=box.name)
            elif _wanted(box) and box.name.rpartition(".")[2] not in classes | functions:
                yield problem("class-unplaced", box.location, name=box.name)


def _wanted(box: UmlClass) -> bool:
    return box.declared and not box.external


def _names(planned: PlannedClass) -> Iterator[str]:
    yield planned.name
    for inner in planned.classes:
        yield from _names(inner)


def _members(spec: Spec) -> Iterator[Problem]:
    """Methods that one of UML and architecture gives a class and the other does not, where both
    give it any."""
    uml_files = {d.location.file for d in spec.class_diagrams}
    shown: dict[str, tuple[UmlClass, set[str]]] = {}
    for diagram in written_diagrams(spec):
        for box in diagram.classes:
            names = {m.name for m in box.members}
            old = shown.get(box.name)
            shown[box.name] = (box, names | (old[1] if old else set()))
    for file in spec.files:
        for planned in file.classes:
            if planned.name not in shown or planned.location.file in uml_files - {
                file.location.file
            }:
                continue
            yield from _differences(planned, *shown[planned.name])


def _differences(planned: PlannedClass, box: UmlClass, named: set[str]) -> Iterator[Problem]:
    methods = {m.name for m in planned.methods}
    told = methods | {a.name for a in planned.attributes}
    drawn = {m.name for m in box.members if m.kind == "method"}
    if not methods or not drawn:
        return
    only_uml = [name for name in sorted(drawn - told) if name != "__init__"]
    if only_uml:
        names = _listed(only_uml)
        yield problem("members-only-uml", box.location, name=box.name, names=names)
    only_told = [name for name in sorted(methods - named) if not name.startswith("_")]
    if only_told and not box.open_ended:
        names = _listed(only_told)
        yield problem("members-only-architecture", planned.location, name=planned.name, names=names)


def _listed(names: list[str]) -> str:
    """Names in a sentence, the first six of them."""
    shown = names[:_NAMED_AT_MOST]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
