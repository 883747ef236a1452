"""What the tests of the spec intake share: the corpus, and short ways to a diagram or an issue."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.ports.forge import Comment, Issue
from bot.spec.mermaid.diagrams import DiagramFinder, Diagrams
from bot.spec.model import Document, DocumentKind, PlannedClass, PlannedFile, Spec

CORPUS = Path(__file__).parent.parent / "corpus"


def folder(*names: str) -> dict[str, bytes]:
    """A folder of the corpus as the spec intake takes it."""
    root = CORPUS.joinpath(*names)
    files = (p for p in sorted(root.rglob("*")) if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in files}


def diagrams(text: str, file: str = "UML.md") -> Diagrams:
    finder = DiagramFinder()
    finder.read(Document(file=file, kind=DocumentKind.UML, text=text))
    return finder.result()


def mermaid(*lines: str) -> Diagrams:
    """A document whose Mermaid fence opens on its first line."""
    return diagrams("\n".join(["```mermaid", *lines, "```"]))


def corpus_diagrams(name: str) -> Diagrams:
    path = CORPUS / "oddities" / name
    return diagrams(path.read_text(encoding="utf-8"), name)


def file_of(spec: Spec, path: str) -> PlannedFile:
    return next(f for f in spec.files if f.path == path)


def class_of(spec: Spec, path: str, name: str) -> PlannedClass:
    return next(c for c in file_of(spec, path).classes if c.name == name)


def codes(spec: Spec) -> list[str]:
    return [p.code for p in spec.problems]


def issue(body: str, *comments: tuple[str, str], title: str = "Ferry") -> Issue:
    """An issue by `anna`; comments are (author, body)."""
    made: Sequence[Comment] = [
        Comment(
            id=index,
            author=author,
            author_is_bot=author.endswith("[bot]"),
            body=text,
            created_at=datetime(2026, 1, 1, 12, index, tzinfo=UTC),
            html_url=f"https://github.com/anna/ferry/issues/7#issuecomment-{index}",
        )
        for index, (author, text) in enumerate(comments, start=1)
    ]
    return Issue(
        number=7,
        title=title,
        body=body,
        author="anna",
        state="open",
        locked=False,
        labels=(),
        comments=tuple(made),
        html_url="https://github.com/anna/ferry/issues/7",
    )
