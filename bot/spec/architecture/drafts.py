"""Planned files while they are being read: mutable, merged as more is said about them."""

from dataclasses import dataclass, field

from bot.spec.model import (
    Location,
    PlannedClass,
    PlannedFile,
    PlannedFunction,
    PlannedVariable,
)


@dataclass
class ClassDraft:
    """A class being read; `level` is that of its heading, 0 where a list item named it."""

    name: str
    location: Location
    level: int = 0
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    texts: list[str] = field(default_factory=list)
    methods: dict[str, PlannedFunction] = field(default_factory=dict)
    attributes: dict[str, PlannedVariable] = field(default_factory=dict)
    classes: dict[str, "ClassDraft"] = field(default_factory=dict)

    def add_method(self, method: PlannedFunction) -> None:
        self.attributes.pop(method.name, None)
        self.methods[method.name] = fuller(self.methods.get(method.name), method)

    def add_attribute(self, attribute: PlannedVariable) -> None:
        if attribute.name not in self.methods:
            self.attributes.setdefault(attribute.name, attribute)

    def inner(self, name: str, location: Location) -> "ClassDraft":
        return self.classes.setdefault(name, ClassDraft(name, location))

    def plan(self) -> PlannedClass:
        return PlannedClass(
            name=self.name,
            bases=self.bases,
            decorators=self.decorators,
            responsibility=" ".join(self.texts),
            methods=tuple(self.methods.values()),
            attributes=tuple(self.attributes.values()),
            classes=tuple(c.plan() for c in self.classes.values()),
            location=self.location,
        )


@dataclass
class FileDraft:
    """A file being read. `orphans` are methods whose class nobody named."""

    path: str
    location: Location
    in_tree: bool = True
    described: bool = False
    texts: list[str] = field(default_factory=list)
    classes: dict[str, ClassDraft] = field(default_factory=dict)
    functions: dict[str, PlannedFunction] = field(default_factory=dict)
    variables: dict[str, PlannedVariable] = field(default_factory=dict)
    orphans: list[PlannedFunction] = field(default_factory=list)
    last: ClassDraft | None = None

    def class_of(self, name: str, location: Location, level: int = 0) -> ClassDraft:
        draft = self.classes.get(name)
        if draft is None:
            draft = self.classes[name] = ClassDraft(name, location, level)
        self.last = draft
        return draft

    def add_function(self, function: PlannedFunction) -> None:
        self.variables.pop(function.name, None)
        self.functions[function.name] = fuller(self.functions.get(function.name), function)

    def add_variable(self, variable: PlannedVariable) -> None:
        if variable.name not in self.functions and variable.name not in self.classes:
            self.variables.setdefault(variable.name, variable)

    @property
    def defines(self) -> bool:
        return bool(self.classes or self.functions or self.orphans)

    def names(self) -> set[str]:
        """All that the file defines, methods included."""
        methods = {m for c in self.classes.values() for m in c.methods}
        orphans = {o.name for o in self.orphans}
        return {*self.classes, *self.functions, *methods, *orphans}

    def plan(self) -> PlannedFile:
        return PlannedFile(
            path=self.path,
            responsibility=" ".join(self.texts),
            classes=tuple(c.plan() for c in self.classes.values()),
            functions=tuple(self.functions.values()),
            variables=tuple(self.variables.values()),
            in_tree=self.in_tree,
            location=self.location,
        )


def fuller(old: PlannedFunction | None, new: PlannedFunction) -> PlannedFunction:
    """The function as first said, with what only the later mention tells."""
    if old is None:
        return new
    return old.model_copy(
        update={
            "parameters": old.parameters or new.parameters,
            "returns": old.returns or new.returns,
            "decorators": tuple(dict.fromkeys((*old.decorators, *new.decorators))),
            "is_async": old.is_async or new.is_async,
            "responsibility": old.responsibility or new.responsibility,
        }
    )
