"""Answers of GitHub that say no: which of them say something of the repository, not the request."""

from bot.forge.github.errors import Refused
from bot.ports.forge import Bar, Locked, Unavailable


class Barred(Refused, Unavailable):
    """GitHub lets the credential do nothing here now; `bar` says why."""

    def __init__(
        self, status: int, what: str, *, bar: Bar, where: str = "", hint: str = ""
    ) -> None:
        super().__init__(status, what, where=where, hint=hint)
        self.bar = bar


class LockedOut(Refused, Locked):
    """The conversation is locked, and the credential is not a person's with write permission.
    https://docs.github.com/en/communities/moderating-comments-and-conversations/locking-conversations
    """


# What GitHub says with status 403.
# https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
_LOCKED = "is locked"
_BARS: tuple[tuple[str, Bar], ...] = (
    ("was archived", "archived"),
    ("has been suspended", "suspended"),
    ("not accessible by", "forbidden"),
    ("Must have", "forbidden"),
    ("GitHub Actions is not permitted", "forbidden"),
)
# https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository
_SETTINGS: tuple[tuple[str, str], ...] = (
    (
        "GitHub Actions is not permitted to create",
        "allow it under Settings > Actions > General > Workflow permissions",
    ),
)


def refused(status: int, said: str, *, where: str, hint: str) -> Refused:
    """The error for an answer with this status that says this."""
    what = f"GitHub refused ({status}): {said}"
    if status != 403:
        return Refused(status, what, where=where, hint=hint)
    if _LOCKED in said:
        return LockedOut(status, what, where=where, hint="unlock the conversation")
    hint = next((advice for phrase, advice in _SETTINGS if phrase in said), hint)
    bar = next((bar for phrase, bar in _BARS if phrase in said), None)
    if bar is None:
        return Refused(status, what, where=where, hint=hint)
    return Barred(status, what, bar=bar, where=where, hint=hint if bar == "forbidden" else "")


def gone(refusal: Refused) -> Refused:
    """What a 404 means where a repository itself was asked for."""
    if isinstance(refusal, Barred) or refusal.status != 404:
        return refusal
    return Barred(
        refusal.status,
        "The repository is gone, or the credential may not see it any more",
        bar="gone",
        where=refusal.where,
        hint="check that the App is installed there",
    )
