"""Requirement Access: a part of the PRD, the UML or the architecture by its id."""

from difflib import get_close_matches

from bot.base import Data, RepowrightError
from bot.spec.model import DocumentKind, Location, Spec


class Passage(Data):
    """A section of a document, or a whole document that has no headings."""

    id: str
    kind: DocumentKind
    title: str
    text: str
    location: Location


def passages_of(spec: Spec) -> tuple[Passage, ...]:
    """Everything that can be asked for, in the order of the documents."""
    found = [
        Passage(id=s.id, kind=s.kind, title=s.title, text=s.text, location=s.location)
        for s in spec.sections
    ]
    headed = {s.location.file for s in spec.sections}
    found.extend(
        Passage(
            id=f"{d.kind.value}/{d.file}",
            kind=d.kind,
            title=d.file,
            text=d.text.strip(),
            location=Location(file=d.file, line=d.first_line),
        )
        for d in spec.documents
        if d.file not in headed and d.text.strip()
    )
    return tuple(found)


def access_requirements(spec: Spec, section: str) -> tuple[Passage, ...]:
    """The section of this id and those below it; raise RepowrightError where there is none."""
    passages = passages_of(spec)
    asked = section.strip().strip("/")
    found = tuple(p for p in passages if p.id == asked or p.id.startswith(f"{asked}/"))
    if not found:
        near = [p.id for p in passages if asked and asked in p.id][:3]
        near += get_close_matches(asked, [p.id for p in passages], n=3, cutoff=0.4)
        names = ", ".join(f"`{n}`" for n in list(dict.fromkeys(near))[:3])
        raise RepowrightError(
            f"the documents have no section `{section}`",
            hint=f"near to it: {names}" if names else "leave the id out to list all",
        )
    return found
