"""What went wrong with GitHub, as errors of the port, and never with a secret in it."""

import re
from collections.abc import Iterable

from bot.ports.forge import ForgeError

# https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
_TOKEN = re.compile(
    r"\b(?:gh[pousr]_[A-Za-z0-9_.-]{10,}|github_pat_[A-Za-z0-9_]{10,}"
    r"|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)"
)
_AUTHORIZATION = re.compile(r"(?i)(authorization:?\s*\w+\s+)[^\s'\"]+")
_TOKEN_FIELD = re.compile(r"""(["']token["']\s*:\s*["'])[^"']+""")
_USER_INFO = re.compile(r"(?<=://)[^/\s@]+@")


class Refused(ForgeError):
    """GitHub answered with a status that says no; `status` is the HTTP status."""

    def __init__(self, status: int, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.status = status


class Unclear(ForgeError):
    """A write was sent and no usable answer came: it may or may not have happened."""


class Moved(ForgeError):
    """What the run works on lives in another repository now."""


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without the given secrets and without anything that looks like a credential."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    text = _TOKEN.sub("***", text)
    text = _AUTHORIZATION.sub(r"\1***", text)
    text = _TOKEN_FIELD.sub(r"\1***", text)
    return _USER_INFO.sub("***@", text)
