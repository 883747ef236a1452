"""Files that come with a spec: check tests, data, pip requirements."""

import base64
import re
from pathlib import PurePosixPath

from bot.spec.model import GivenFile, PresentFile
from bot.spec.texts import normalise

_BEGINNING = 300
# What every project has and no program reads.
_ABOUT = re.compile(
    r"(readme|licen[cs]e|changelog|contributing|requirements|setup|pyproject)(\..*)?", re.IGNORECASE
)
_COMMENT = re.compile(r"(?:^|\s)#.*$")


def given_file(path: str, data: bytes) -> GivenFile:
    """The file as text where it is UTF-8 without NUL, else as base64."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return GivenFile(path=path, text=base64.b64encode(data).decode("ascii"), encoding="base64")
    return GivenFile(path=path, text=text)


def is_data(path: str) -> bool:
    """Whether a file may be data that a program reads: no code, nothing hidden, and nothing about
    the project itself."""
    pure = PurePosixPath(path)
    hidden = any(part.startswith(".") for part in pure.parts)
    return not hidden and pure.suffix not in (".py", ".pyc") and not _ABOUT.fullmatch(pure.name)


def present_file(path: str, data: bytes) -> PresentFile:
    """A file of the repository with its first characters."""
    given = given_file(path, data)
    return PresentFile(
        path=path, beginning=given.text[:_BEGINNING] if given.encoding == "utf-8" else ""
    )


def requirement_lines(text: str) -> tuple[str, ...]:
    """Requirement lines without comments, options and continuations; order kept, each once.

    https://pip.pypa.io/en/stable/reference/requirements-file-format/
    """
    joined = normalise(text).replace("\\\n", " ")
    lines = (_COMMENT.sub("", line).strip() for line in joined.split("\n"))
    return tuple(dict.fromkeys(line for line in lines if line and not line.startswith("-")))
