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
    modules = _Modules(files)
    marked = tuple(modules.mark(d) for d in diagrams)
    placer = _Placer(marked, packages, files)
    placer.classes()
    placer.functions()
    return marked, placer.result()


class _Modules:
    """The planned modules by their names, letters and digits alone."""

    def __init__(self, files: tuple[PlannedFile, ...]) -> None:
        self.classes = {c.name for f in files for c in f.classes}
        self.folders = {squash(part) for f in files for part in f.path.split("/")[:-1]}
        self.by_stem: dict[str, list[PlannedFile]] = {}
        for file in files:
            if file.path.endswith(".py"):
                self.by_stem.setdefault(squash(_module_name(file.path)), []).append(file)

    def mark(self, diagram: ClassDiagram) -> ClassDiagram:
        sources = {r.source for r in diagram.relations}
        boxes = tuple(self._mark(box, box.name in sources) for box in diagram.classes)
        return diagram.model_copy(update={"classes": boxes})

    def _mark(self, box: UmlClass, is_source: bool) -> UmlClass:
        """A box named like a file whose functions it shows, or an empty one named like a module
        or package, stands for that module; one that is only pointed at, and that no file holds,
        comes from elsewhere."""
        if box.hosts_globals or box.name in self.classes:
            return box
        if not box.declared:
            elsewhere = bool(self.classes) and not is_source
            return box.model_copy(update={"external": box.external or elsewhere})
        last = box.name.rpartition(".")[2]
        name = _MODULE_SUFFIX.sub("", last)
        shown = {m.name for m in box.members}
        for file in self.by_stem.get(squash(name), ()):
            held = {f.name for f in file.functions} | {c.name for c in file.classes}
            if name != last or not shown or shown & held:
                stem = _module_name(file.path)
                return box.model_copy(update={"hosts_globals": True, "module": stem})
        if not shown and squash(name) in self.folders:
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
        self.parents, self.kin = _families(diagrams)
        self.by_stem: dict[str, list[str]] = {}
        for path in self.candidates:
            self.by_stem.setdefault(squash(_module_name(path)), []).append(path)
        self.names = {p: _stems(_module_name(p)) for p in self.candidates}
        self.texts = {p: _stems(self.files[p].responsibility) for p in self.candidates}
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
        """Place classes; one that is placed may place its parents and children."""
        waiting = self._unplaced()
        queue = list(waiting)
        while queue:
            box = waiting.get(queue.pop(0))
            path = self._file_of(box) if box is not None else ""
            if box is not None and path:
                self.home[box.name] = path
                self.added_classes.setdefault(path, []).append(self._planned_class(box))
                del waiting[box.name]
                queue.extend(k for k in sorted(self.kin.get(box.name, ())) if k in waiting)

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
        same = self.by_stem.get(squash(box.name), [])
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
        return {self.home[k] for k in self.kin.get(name, ()) if k in self.home}

    def _planned_class(self, box: UmlClass) -> PlannedClass:
        return PlannedClass(
            name=box.name,
            bases=tuple(self.parents.get(box.name, ())),
            methods=tuple(planned_function(m) for m in box.members if m.kind == "method"),
            attributes=tuple(
                PlannedVariable(name=m.name, annotation=m.type, location=m.location)
                for m in box.members
                if m.kind == "attribute"
            ),
            location=box.location,
        )

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
            own, text = self.names[path], self.texts[path]
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


def _families(
    diagrams: tuple[ClassDiagram, ...],
) -> tuple[dict[str, dict[str, None]], dict[str, set[str]]]:
    """The parents of each class in order, and its parents and children."""
    parents: dict[str, dict[str, None]] = {}
    kin: dict[str, set[str]] = {}
    for diagram in diagrams:
        for relation in diagram.relations:
            if relation.kind in (RelationKind.INHERIT, RelationKind.REALIZE):
                parents.setdefault(relation.source, {}).setdefault(relation.target)
                kin.setdefault(relation.source, set()).add(relation.target)
                kin.setdefault(relation.target, set()).add(relation.source)
    return parents, kin


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
