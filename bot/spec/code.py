"""A spec of code that nobody wrote one for: what its README says, and its own tests as given."""

import re
from collections.abc import Collection, Mapping

from bot.spec.assemble import digest
from bot.spec.given import given_file
from bot.spec.markdown import all_sections
from bot.spec.model import Document, DocumentKind, Spec
from bot.spec.texts import decode, normalise

_README = re.compile(r"readme(?:\.(?:md|rst|txt))?", re.IGNORECASE)
_LONGEST_README = 24_000


def spec_of_code(
    title: str,
    files: Mapping[str, bytes],
    *,
    tests: Collection[str],
    requirements: tuple[str, ...],
    commit: str,
) -> Spec:
    """The spec of the tree `files` of `commit`. `tests` are the paths of what decides and of what
    sets that up, which nobody may change; diagrams and trees in a README ask for nothing."""
    documents = _readme(files)
    given = tuple(given_file(path, files[path]) for path in sorted(tests))
    return Spec(
        title=title,
        documents=documents,
        sections=all_sections(documents),
        check_tests=given,
        requirements=requirements,
        digest=digest(documents, given, (*requirements, f"code as of {commit}")),
    )


def _readme(files: Mapping[str, bytes]) -> tuple[Document, ...]:
    """The README at the top, as much as a question has room for."""
    path = next((p for p in sorted(files) if _README.fullmatch(p)), None)
    text = normalise(decode(files[path]) or "")[:_LONGEST_README] if path else ""
    if path is None or not text.strip():
        return ()
    return (Document(file=path, kind=DocumentKind.OTHER, text=text),)
