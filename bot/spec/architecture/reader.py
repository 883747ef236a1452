"""Walks an architecture document and gathers what it says about each file."""

import re
from dataclasses import dataclass, field

from bot.spec.architecture.classify import is_class
from bot.spec.architecture.code import parse_code
from bot.spec.architecture.drafts import ClassDraft, FileDraft
from bot.spec.architecture.evidence import Evidence
from bot.spec.architecture.items import ItemReader
from bot.spec.architecture.lead import Lead
from bot.spec.architecture.outline import Entry, outline
from bot.spec.architecture.resolver import Resolver
from bot.spec.architecture.tree import mended
from bot.spec.markdown import Block, location
from bot.spec.model import Document
from bot.spec.texts import squash
from bot.spec.words import words

_FILE = re.compile(
    r"^/?(?:[\w.@*-]+/)*(?P<name>[\w.@*-]*[\w*]\.(?P<suffix>\w{1,8})|[A-Z][A-Za-z]+)_*$"
)
_FOLDER = re.compile(r"(?P<path>(?:[\w.@-]+/)+)[:：]?$")
_LABEL = re.compile(r"(?:\*\*|__)?(?P<title>[A-Z][\w -]*)(?:\*\*|__)?[:：](?:\*\*|__)?")
# The level of a file that no heading opens, below that of all headings.
_AS_PARAGRAPH = 7
_AT_TOP = re.compile(
    r"\b(?:functions?|module[- ]level|constants?|utilit(?:y|ies)|helpers?|globals?|variables?)\b",
    re.IGNORECASE,
)
_IN_CLASS = re.compile(r"\b(?:methods?|attributes?|properties|public api|instance|class)\b", re.I)


@dataclass
class Walk:
    """State of one walk: the file, folder and class that the next item belongs to."""

    document: Document
    reader: ItemReader
    resolver: Resolver
    files: dict[str, FileDraft]
    folders: tuple[str, ...] = ()
    twice: list[tuple[FileDraft, FileDraft]] = field(default_factory=list)
    folder: str = ""
    file: FileDraft | None = None
    file_level: int = 0
    owner: ClassDraft | None = None

    def run(self, found: tuple[Block, ...]) -> None:
        for entry in outline(found):
            if entry.kind == "item":
                self._item(entry)
            elif entry.kind == "heading":
                self._heading(entry)
            else:
                self._paragraph(entry)

    def _heading(self, entry: Entry) -> None:
        lead = entry.lead
        title = entry.text.replace("`", "").strip()
        folder = _FOLDER.search(title)
        if lead is not None and (name := file_name(lead)):
            self._open(name, entry, entry.level)
            if lead.text and self.file is not None:
                self.file.texts.append(lead.text)
        elif folder is not None:
            self.folder = folder["path"].strip("/")
            self.file = self.owner = None
        elif lead is not None and self._class_heading(entry, lead):
            return
        else:
            self._plain_heading(entry, title)

    def _class_heading(self, entry: Entry, lead: Lead) -> bool:
        """A heading that names a class or function; `Hone class (hone.py)` names its file too."""
        inside = _FILE.match(lead.note.strip("`"))
        if inside is not None and inside["suffix"] in words().suffixes:
            self._open(lead.note.strip("`"), entry, entry.level)
        code = parse_code(lead.codes[0])
        if self.file is None or code is None or code.owner:
            return False
        if self.owner is not None and entry.level > self.owner.level and code.arguments is not None:
            self.owner.add_method(self.reader.function(code, entry))
        elif is_class(code, entry, self.reader.known):
            place = location(self.document, entry.line, lead.column)
            self.owner = self.file.class_of(code.name, place, entry.level)
            self.reader.fill_class(self.owner, code, entry, self.file)
        elif code.arguments is not None or "function" in f"{lead.words} {lead.kind}":
            self.owner = None
            self.file.add_function(self.reader.function(code, entry))
        else:
            return False
        return True

    def _plain_heading(self, entry: Entry, title: str) -> None:
        """A heading without a name: it may end the class or the file, or hint at a folder."""
        if self.owner is not None and (entry.level < self.owner.level or _AT_TOP.search(title)):
            self.owner = self.owner if _IN_CLASS.search(title) else None
        if self.file is not None and entry.level <= self.file_level:
            self.file = self.owner = None
        hinted = self._folder_called(title)
        if hinted and self.file is None:
            self.folder = hinted

    def _folder_called(self, title: str) -> str:
        return next((f for f in self.folders if squash(f.rpartition("/")[2]) == squash(title)), "")

    def _labelled(self, entry: Entry) -> str:
        """The folder of the tree that a line such as `Examples:` names; it ends a file that a
        line of its own opened."""
        label = _LABEL.fullmatch(entry.text.strip())
        return self._folder_called(label["title"]) if label is not None else ""

    def _paragraph(self, entry: Entry) -> None:
        lead = entry.lead
        if lead is not None and (name := file_name(lead)) and _stands_alone(entry, lead):
            self._open(name, entry, _AS_PARAGRAPH)
            if lead.text and self.file is not None:
                self.file.texts.append(lead.text)
        elif self.file_level == _AS_PARAGRAPH and (folder := self._labelled(entry)):
            self.folder = folder
            self.file = self.owner = None
        elif self.owner is not None and self.owner.level:
            self.owner.texts.append(" ".join(entry.text.split()))
        elif self.file is not None and not self.file.defines:
            text = " ".join(entry.text.split())
            if text.lower().strip(".") not in ("none", "empty"):
                self.file.texts.append(text)

    def _item(self, entry: Entry) -> None:
        lead = entry.lead
        name = file_name(lead) if lead is not None else ""
        if lead is not None and name and self._is_file_item(name, entry):
            before = self.file, self.file_level, self.owner
            self._open(name, entry, _AS_PARAGRAPH)
            if self.file is not None:
                if lead.text:
                    self.file.texts.append(entry.description)
                for child in entry.children:
                    self.reader.read(child, self.file, None)
            self.file, self.file_level, self.owner = before
        elif self.file is not None:
            self.reader.read(entry, self.file, self.owner)

    def _is_file_item(self, name: str, entry: Entry) -> bool:
        """Items name files outside any file, and inside one only where the tree knows them."""
        if self.file is None:
            return True
        base = name.rpartition("/")[2]
        return bool(entry.children) and base in self.resolver.by_name

    def _open(self, name: str, entry: Entry, level: int) -> None:
        """Make the named file the one that is spoken of; said again, it is told apart for now."""
        column = entry.lead.column if entry.lead else 1
        place = location(self.document, entry.line, column)
        name = mended(name)
        path, how = self.resolver.resolve(name, self.folder)
        self.owner = None
        self.file_level = level
        draft = self.files.get(path)
        if draft is None:
            draft = self.files[path] = FileDraft(path, place, in_tree=how != "new")
        elif draft.described and draft.defines:
            again = FileDraft(path, place, in_tree=draft.in_tree, described=True)
            self.twice.append((draft, again))
            self.file = again
            return
        elif not draft.described:
            draft.location = place
        draft.described = True
        self.file = draft


def file_name(lead: Lead) -> str:
    """The file that a lead names, empty where it names none."""
    code = lead.codes[0].strip().strip("`*")
    found = _FILE.match(code)
    if found is None or " " in code:
        return ""
    suffix = (found["suffix"] or "").lower()
    if not suffix and code.rpartition("/")[2].lower() not in words().plain_files:
        return ""
    if suffix and suffix not in words().suffixes and mended(code) == code:
        return ""
    return code.lstrip("/")


def _stands_alone(entry: Entry, lead: Lead) -> bool:
    """A paragraph opens a file where the name is its head, not the subject of a sentence."""
    rest = entry.text.strip().split("\n", 1)[0]
    head = rest[rest.find(lead.codes[0]) + len(lead.codes[0]) :].strip("`* ")
    return not head or head[0] in ":：—–-(|"


def read_document(
    document: Document,
    found: tuple[Block, ...],
    evidence: Evidence,
    files: dict[str, FileDraft],
    folders: tuple[str, ...],
) -> Walk:
    """Read a document's prose into `files`, which holds the files of the tree."""
    resolver = Resolver(tuple(files))
    walk = Walk(document, ItemReader(document, evidence), resolver, files, folders)
    walk.run(found)
    return walk
