"""The mark that every write carries, in the form that each kind of place can hold.

A mark is looked for before a write and after a failed one, so that no write happens twice
(design 5.1).
"""

import hashlib
from urllib.parse import quote

TRAILER = "Repowright-Mark"
_PREFIX = "repowright:"
_LONGEST = 200


def encode(mark: str) -> str:
    """The mark in printable ASCII without spaces, commas or `--`, at most 200 characters."""
    plain = quote(mark, safe=":/#.").replace("--", "-%2D")
    if len(plain) <= _LONGEST:
        return plain
    digest = hashlib.sha256(mark.encode()).hexdigest()[:32]
    return f"{plain[: _LONGEST - len(digest) - 1]}~{digest}"


def hidden(mark: str) -> str:
    """The mark as a line of Markdown that nobody sees."""
    return f"<!-- {_PREFIX}{encode(mark)} -->"


def external_id(mark: str) -> str:
    """The mark as a check run's external id."""
    return _PREFIX + encode(mark)


def trailer(mark: str) -> str:
    """The mark as the last line of a commit message (https://git-scm.com/docs/git-interpret-trailers)."""
    return f"{TRAILER}: {encode(mark)}"


def carries(body: str | None, mark: str) -> bool:
    """Whether the last line of a body is the mark; a quoted or copied one further up is not."""
    return (body or "").rstrip().rpartition("\n")[2].strip() == hidden(mark)


def message_carries(message: str, mark: str) -> bool:
    """Whether the last line of a commit message is the mark's trailer."""
    return message.rstrip().rpartition("\n")[2].strip() == trailer(mark)


def mark_line(body: str | None) -> str:
    """The hidden mark with which a body ends, whoever's it is; "" where there is none."""
    line = (body or "").rstrip().rpartition("\n")[2].strip()
    return line if line.startswith(f"<!-- {_PREFIX}") and line.endswith(" -->") else ""
