"""Reads list items into drafts of files and classes."""

import re
from dataclasses import dataclass

from bot.spec.architecture.classify import (
    is_class,
    is_folder,
    is_function,
    is_inner_class,
    is_method,
)
from bot.spec.architecture.code import Code, parse_code
from bot.spec.architecture.drafts import ClassDraft, FileDraft
from bot.spec.architecture.evidence import Evidence
from bot.spec.architecture.outline import Entry
from bot.spec.markdown import location
from bot.spec.model import Document, Location, PlannedFunction, PlannedVariable
from bot.spec.signatures import parse_parameters

_RECORD = re.compile(
    r"^(?:an? |the )?(?:[\w-]+ ){0,2}(?:dataclass|data class|namedtuple|named tuple|typeddict"
    r"|tuple subclass)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ItemReader:
    """Reads the items of one document; `known` is what the UML tells."""

    document: Document
    known: Evidence

    def read(self, entry: Entry, file: FileDraft, owner: ClassDraft | None) -> None:
        """Take in an item and what is nested in it; prose is transparent."""
        if entry.lead is None:
            self._prose(entry, file, owner)
            return
        parsed = [parse_code(c) for c in entry.lead.codes]
        codes = [code for code in parsed if code is not None]
        if len(codes) == len(parsed):
            for code in codes:
                self._define(code, entry, file, owner)

    def fill_class(self, draft: ClassDraft, code: Code, entry: Entry, file: FileDraft) -> None:
        """Bases or constructor from the signature, the description, then what is nested."""
        if code.arguments is not None and code.arguments.strip():
            if code.bases is not None:
                draft.bases = draft.bases or code.bases
            elif _RECORD.match(entry.description):
                self._fields(draft, code, entry)
            elif not code.returns and draft.name not in self.known.inheriting:
                draft.add_method(self._constructor(code, entry))
        if entry.description:
            draft.texts.append(entry.description)
        for child in entry.children:
            self.read(child, file, draft)

    def function(self, code: Code, entry: Entry) -> PlannedFunction:
        parameters, open_ended = parse_parameters(code.arguments or "")
        about = f"{entry.note} {' '.join(entry.said)} {entry.description[:60].lower()}"
        given = code.arguments is not None and not open_ended
        return PlannedFunction(
            name=code.name,
            parameters=parameters if given else None,
            returns=code.returns,
            decorators=_decorators(code, about),
            is_async="async" in code.word or "async" in entry.said or "async" in entry.note.split(),
            responsibility=entry.description,
            location=self._place(entry),
        )

    def _prose(self, entry: Entry, file: FileDraft, owner: ClassDraft | None) -> None:
        target = owner.texts if owner is not None else file.texts
        if not entry.children:
            target.append(" ".join(entry.text.split()))
        for child in entry.children:
            self.read(child, file, owner)

    def _define(self, code: Code, entry: Entry, file: FileDraft, owner: ClassDraft | None) -> None:
        if code.owner:
            self._dotted(code, entry, file, owner)
        elif owner is None:
            if not is_folder(code, entry):
                self._at_top(code, entry, file)
        elif code.name == owner.name and not entry.said & {"method", "property"}:
            self.fill_class(owner, code, entry, file)
        elif is_inner_class(code, entry):
            self.fill_class(owner.inner(code.name, self._place(entry)), code, entry, file)
        else:
            self._member(owner, code, entry)

    def _at_top(self, code: Code, entry: Entry, file: FileDraft) -> None:
        if is_class(code, entry, self.known):
            self.fill_class(file.class_of(code.name, self._place(entry)), code, entry, file)
        elif not is_function(code, entry, self.known):
            file.add_variable(self._variable(code, entry))
        elif not code.takes_self:
            file.add_function(self.function(code, entry))
        elif file.last is not None:
            file.last.add_method(self.function(code, entry))
        else:
            file.orphans.append(self.function(code, entry))

    def _dotted(self, code: Code, entry: Entry, file: FileDraft, owner: ClassDraft | None) -> None:
        """`Class.member`, in its class or at the top; what is none of both is an expression."""
        if "." in code.owner:
            return
        if owner is None or code.owner != owner.name:
            is_owner = (
                code.owner in file.classes
                or code.owner.lstrip("_")[:1].isupper()
                or code.takes_self
                or code.dunder
                or self.known.is_class(code.owner)
            )
            if not is_owner:
                return
            owner = file.class_of(code.owner, self._place(entry))
        self._member(owner, code, entry)

    def _member(self, owner: ClassDraft, code: Code, entry: Entry) -> None:
        if is_method(code, entry, owner.name, self.known):
            owner.add_method(self.function(code, entry))
        else:
            owner.add_attribute(self._variable(code, entry))

    def _constructor(self, code: Code, entry: Entry) -> PlannedFunction:
        """A class given with parameters has a constructor that takes them."""
        method = self.function(code._replace(name="__init__"), entry)
        return method.model_copy(
            update={"responsibility": "", "returns": None, "decorators": (), "is_async": False}
        )

    def _fields(self, draft: ClassDraft, code: Code, entry: Entry) -> None:
        """A data class given with parameters has them as fields."""
        if "dataclass" in entry.description[:60].lower():
            draft.decorators = ("dataclass",)
        for parameter in parse_parameters(code.arguments or "")[0]:
            if parameter.name.isidentifier():
                attribute = PlannedVariable(
                    name=parameter.name,
                    annotation=parameter.annotation,
                    value=parameter.default,
                    location=self._place(entry),
                )
                draft.add_attribute(attribute)

    def _variable(self, code: Code, entry: Entry) -> PlannedVariable:
        return PlannedVariable(
            name=code.name,
            annotation=code.annotation,
            value=code.value,
            responsibility=entry.description,
            location=self._place(entry),
        )

    def _place(self, entry: Entry) -> Location:
        return location(self.document, entry.line, entry.column)


def _decorators(code: Code, about: str) -> tuple[str, ...]:
    """Decorators that the author names in passing; `about` is lower case."""
    takes = (code.arguments or "").strip()
    if code.arguments is None or takes == "self":
        if "cached property" in about or "cached_property" in about:
            return ("cached_property",)
        if "property" in about and "setter" not in about:
            return ("property",)
        if code.arguments is None and code.returns:
            return ("property",)
    if "static method" in about or "staticmethod" in about:
        return ("staticmethod",)
    if code.name in ("__new__", "__init_subclass__", "__class_getitem__"):
        return ()
    if "class method" in about or "classmethod" in about or takes.startswith("cls"):
        return ("classmethod",)
    return ()
