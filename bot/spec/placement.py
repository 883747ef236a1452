"""Places what only the UML shows into the planned files, where the documents leave no doubt.

Hand-written diagrams show classes and functions that the architecture document forgets, and boxes
that stand for modules; which file is meant can be told from names, relations and package diagrams.
"""

import re
from collections import Counter
from collections.abc import Iterable

from bot.spec.model import (
    ClassDiagram,
    Member,
    PackageDiagram,
    PlannedClass,
    PlannedFile,
    PlannedFunction,
    PlannedVariable,
    RelationKind,
    UmlClass,
)
from bot.spec.texts import squash

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_MODULE_SUFFIX = re.compile(r"(?<=\w)_?[Mm]odule$|_py$")
_APART = re.compile(r"test|example|demo|docs?$|script|bin$", re.IGNORECASE)
_SPECIAL = frozenset(["__init__.py", "__main__.py", "setup.py", "conftest.py"])
_ERRORS = frozenset(["exceptions", "errors", "error", "exception"])


def place(
    diagrams: tuple[ClassDiagram, ...],
    packages: tuple[PackageDiagram, ...],
    files: tuple[PlannedFile, ...],
) -> tuple[tuple[ClassDiagram, ...], tuple[PlannedFile, ...]]:
    """The diagrams with their module boxes marked, and the files with what could be placed."""
    marked = tuple(_mark_modules(d, files) for d in diagrams)
    placer = _Placer(marked, packages, files)
    placer.classes()
    placer.functions()
    return marked, placer.result()


def _mark_modules(diagram: ClassDiagram, files: tuple[PlannedFile, ...]) -> ClassDiagram:
    boxes = tuple(_as_module(box, files) for box in diagram.classes)
    return diagram.model_copy(update={"classes": boxes})


def _as_module(box: UmlClass, files: tuple[PlannedFile, ...]) -> UmlClass:
    """A box named like a file whose functions it shows, or an empty one named like a module or
    package, stands for that module."""
    if box.hosts_globals or not box.declared:
        return box
    if any(c.name == box.name for f in files for c in f.classes):
        return box
    name = _MODULE_SUFFIX.sub("", box.name.rpartition(".")[2])
    says_so = name != box.name.rpartition(".")[2]
    methods = {m.name for m in box.members if m.kind == "method"}
    for file in files:
        if not file.path.endswith(".py"):
            continue
        stem = _module_name(file.path)
        if squash(stem) != squash(name):
            continue
        functions = {f.name for f in file.functions}
        held = {c.name for c in file.classes} & {m.name for m in box.members}
        if says_so or not box.members or methods & functions or held:
            return box.model_copy(update={"hosts_globals": True, "module": stem})
    folders = {squash(part) for f in files for part in f.path.split("/")[:-1]}
    if not box.members and squash(name) in folders:
        return box.model_copy(update={"hosts_globals": True, "module": name})
    return box


class _Placer:
    """Finds files for classes and functions; what stays in doubt is left to the run."""

    def __init__(
        self,
        diagrams: tuple[ClassDiagram, ...],
        packages: tuple[PackageDiagram, ...],
        files: tuple[PlannedFile, ...],
    ) -> None:
        self.diagrams = diagrams
        self.files = {f.path: f for f in files}
        self.candidates = [f.path for f in files if _holds_code(f.path)]
        self.home = {c.name: f.path for f in files for c in f.classes}
        self.shown = _shown(packages, self.candidates)
        self.added_classes: dict[str, list[PlannedClass]] = {}
        self.added_functions: dict[str, list[PlannedFunction]] = {}

    def result(self) -> tuple[PlannedFile, ...]:
        return tuple(
            file.model_copy(
                update={
                    "classes": (*file.classes, *self.added_classes.get(path, ())),
                    "functions": (*file.functions, *self.added_functions.get(path, ())),
                }
            )
            for path, file in self.files.items()
        )

    def classes(self) -> None:
        """Place classes until no more can be: a placed parent may place its children."""
        waiting = self._unplaced()
        progress = True
        while waiting and progress:
            progress = False
            for box in list(waiting.values()):
                path = self._file_of(box)
                if path:
                    self.home[box.name] = path
                    self.added_classes.setdefault(path, []).append(
                        _planned_class(box, self.diagrams)
                    )
                    del waiting[box.name]
                    progress = True

    def functions(self) -> None:
        for diagram in self.diagrams:
            for box in diagram.classes:
                if box.hosts_globals:
                    self._functions_of(box)

    def _unplaced(self) -> dict[str, UmlClass]:
        functions = {fn.name for f in self.files.values() for fn in f.functions}
        out: dict[str, UmlClass] = {}
        for diagram in self.diagrams:
            for box in diagram.classes:
                wanted = box.declared and not box.external and not box.hosts_globals
                known = box.name in self.home or box.name in functions or box.name in out
                if wanted and box.name.isidentifier() and not known:
                    out[box.name] = box
        return out

    def _file_of(self, box: UmlClass) -> str:
        named = self.shown.get(box.name, "")
        if named:
            return named
        same = [p for p in self.candidates if squash(_module_name(p)) == squash(box.name)]
        if len(same) == 1:
            return same[0]
        if len(self.candidates) == 1 and not self.files[self.candidates[0]].defines:
            return self.candidates[0]
        family = self._family(box.name)
        if len(family) == 1:
            return family.pop()
        if box.name.endswith(("Error", "Exception", "Warning")):
            errors = [p for p in self.candidates if _module_name(p) in _ERRORS]
            return errors[0] if len(errors) == 1 else ""
        return ""

    def _family(self, name: str) -> set[str]:
        """The files of the parents and children of a class."""
        kin: set[str] = set()
        for diagram in self.diagrams:
            for relation in diagram.relations:
                if relation.kind not in (RelationKind.INHERIT, RelationKind.REALIZE):
                    continue
                if relation.source == name:
                    kin.add(relation.target)
                elif relation.target == name:
                    kin.add(relation.source)
        return {self.home[k] for k in kin if k in self.home}

    def _functions_of(self, box: UmlClass) -> None:
        """Functions of a module box that no file has: to its module, else where their siblings
        are, else where their words are."""
        homes: dict[str, list[str]] = {}
        for path, file in self.files.items():
            for function in (*file.functions, *self.added_functions.get(path, ())):
                homes.setdefault(function.name, []).append(path)
        methods = [m for m in box.members if m.kind == "method"]
        missing = [m for m in methods if m.name not in homes and m.name.isidentifier()]
        home = self._module_file(box) or _majority(
            p for m in methods for p in homes.get(m.name, ()) if p in self.candidates
        )
        for member in missing:
            path = home or self._by_words(member.name)
            if path:
                self.added_functions.setdefault(path, []).append(planned_function(member))

    def _module_file(self, box: UmlClass) -> str:
        if box.module is None:
            return ""
        same = [p for p in self.files if _module_name(p) == box.module and p.endswith(".py")]
        return same[0] if len(same) == 1 else ""

    def _by_words(self, name: str) -> str:
        """The file whose name and responsibility share most words with the name."""
        if len(self.candidates) == 1:
            return self.candidates[0]
        wanted = _stems(name)
        scores: dict[str, float] = {}
        for path in self.candidates:
            own = _stems(_module_name(path))
            text = _stems(self.files[path].responsibility)
            scores[path] = 1.5 * len(wanted & own) + len(wanted & text - own)
        best = max(scores.values(), default=0.0)
        winners = [p for p, s in scores.items() if s == best]
        return winners[0] if best > 0 and len(winners) == 1 else ""


def planned_function(member: Member) -> PlannedFunction:
    """A method of a box as a function that is planned."""
    return PlannedFunction(
        name=member.name,
        parameters=None if member.open_ended else member.parameters,
        returns=member.type,
        decorators=("staticmethod",) if member.static else (),
        location=member.location,
    )


def _planned_class(box: UmlClass, diagrams: tuple[ClassDiagram, ...]) -> PlannedClass:
    parents = [
        r.target
        for d in diagrams
        for r in d.relations
        if r.source == box.name and r.kind in (RelationKind.INHERIT, RelationKind.REALIZE)
    ]
    return PlannedClass(
        name=box.name,
        bases=tuple(dict.fromkeys(parents)),
        methods=tuple(planned_function(m) for m in box.members if m.kind == "method"),
        attributes=tuple(
            PlannedVariable(name=m.name, annotation=m.type, location=m.location)
            for m in box.members
            if m.kind == "attribute"
        ),
        location=box.location,
    )


def _shown(packages: tuple[PackageDiagram, ...], candidates: list[str]) -> dict[str, str]:
    """Names that a package diagram writes below a file's name, each with the file."""
    out: dict[str, str] = {}
    for diagram in packages:
        for node in diagram.nodes:
            head, _, below = node.title.partition("\n")
            paths = [p for p in candidates if p == head or p.endswith(f"/{head}")]
            if len(paths) == 1:
                for word in re.findall(r"[A-Za-z_]\w*", below):
                    out.setdefault(word, paths[0])
    return out


def _holds_code(path: str) -> bool:
    name = path.rpartition("/")[2]
    top = path.partition("/")[0]
    return path.endswith(".py") and name not in _SPECIAL and not _APART.search(top)


def _module_name(path: str) -> str:
    """The last part of a file's module name: the folder for `__init__.py`."""
    folder, _, name = path.rpartition("/")
    return folder.rpartition("/")[2] if name == "__init__.py" else name.removesuffix(".py")


def _majority(paths: Iterable[str]) -> str:
    counted = Counter(paths).most_common(2)
    if not counted or (len(counted) == 2 and counted[0][1] == counted[1][1]):
        return ""
    return counted[0][0]


def _stems(text: str) -> set[str]:
    """The words of a name or sentence without their endings."""
    found: list[str] = _WORDS.findall(text)
    return {re.sub(r"(?:ing|ed|es|s|e)$", "", w.lower()) for w in found if len(w) > 2}
