"""Files that come with a spec: check tests, data, pip requirements."""

import base64
import re

from bot.spec.model import GivenFile
from bot.spec.texts import normalise

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


def requirement_lines(text: str) -> tuple[str, ...]:
    """Requirement lines without comments, options and continuations; order kept, each once.

    https://pip.pypa.io/en/stable/reference/requirements-file-format/
    """
    joined = normalise(text).replace("\\\n", " ")
    lines = (_COMMENT.sub("", line).strip() for line in joined.split("\n"))
    return tuple(dict.fromkeys(line for line in lines if line and not line.startswith("-")))
