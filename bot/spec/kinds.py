"""What kind of document a file or a headed part of an issue is, by its name."""

import re
from pathlib import PurePosixPath
from typing import Literal

from bot.spec.model import DocumentKind
from bot.spec.texts import squash
from bot.spec.words import words

Topic = Literal["prd", "uml", "architecture", "check_tests", "requirements", "title", "settings"]

DOCUMENT_SUFFIXES = frozenset([".md", ".markdown", ".txt", ".mmd", ".mermaid", ".rst"])
_TREE_FILE = re.compile(r"^(?:directory|file|folder|project)_?(?:tree|structure)\.txt$", re.I)
_REQUIREMENTS = re.compile(r"^(?:\w+[-_])?requirements(?:[-_]\w+)?\.txt$", re.IGNORECASE)
_NAMES: tuple[tuple[DocumentKind, re.Pattern[str]], ...] = (
    (DocumentKind.UML, re.compile(r"^uml|class_?diagram|sequence_?diagram|package_?diagram", re.I)),
    (DocumentKind.PRD, re.compile(r"^prd|[-_ ]prd\b|product_?requirement|^requirements?$", re.I)),
    (DocumentKind.ARCHITECTURE, re.compile(r"architect|^design(?:_doc)?$|^system_?design", re.I)),
)
_SPEC_KIT = {
    "spec": DocumentKind.PRD,
    "plan": DocumentKind.ARCHITECTURE,
}


def topic_of_title(title: str) -> Topic | None:
    """What a heading or form field announces, None where it is a heading like any other."""
    name = squash(title)
    for topic, names in words().document_names.items():
        if name in names:
            return _topic(topic)
    return None


def form_topic(title: str) -> Topic | None:
    """The topic of a field of the project's own issue form."""
    return _topic(words().form_labels.get(title.strip(), ""))


def kind_of_file(path: str) -> DocumentKind | None:
    """The kind of a document by its file name, None where the file is no document."""
    file = PurePosixPath(path)
    if file.suffix.lower() not in DOCUMENT_SUFFIXES or is_requirements(path):
        return None
    if file.suffix.lower() in (".mmd", ".mermaid"):
        return DocumentKind.UML
    if _TREE_FILE.match(file.name):
        return DocumentKind.ARCHITECTURE
    for kind, pattern in _NAMES:
        if pattern.search(file.stem):
            return kind
    if file.suffix.lower() == ".txt":
        return None
    return _SPEC_KIT.get(file.stem.lower(), DocumentKind.OTHER)


def is_tree_file(path: str) -> bool:
    """A file that holds a directory tree and nothing else."""
    return bool(_TREE_FILE.match(PurePosixPath(path).name))


def is_generated(path: str) -> bool:
    """UML that pyreverse drew from code."""
    return "pyreverse" in path.lower()


def is_requirements(path: str) -> bool:
    return bool(_REQUIREMENTS.match(PurePosixPath(path).name))


def _topic(name: str) -> Topic | None:
    match name:
        case "prd" | "uml" | "architecture" | "check_tests" | "requirements" | "title" | "settings":
            return name
    return None
