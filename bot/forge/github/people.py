"""Tells people from bots, and what we wrote from what others wrote."""

from github.NamedUser import NamedUser
from github.Organization import Organization

from bot.forge.github import marks
from bot.forge.github.client import GitHubClient

Account = NamedUser | Organization | None

_DELETED = "ghost"


def login_of(user: Account) -> str:
    """The login; a deleted account is shown as GitHub shows it."""
    return user.login if user else _DELETED


def is_ours(client: GitHubClient, user: Account, body: str | None, mark: str) -> bool:
    """Whether we wrote this body with this mark: a stranger can copy the mark, not the author."""
    return marks.carries(body, mark) and client.is_me(login_of(user))


def is_bots(client: GitHubClient, user: Account, body: str | None) -> bool:
    """Whether a bot wrote this. Our account may be a person's (a personal token), so what is
    ours is told by its mark too."""
    if user is not None and user.type == "Bot":
        return True
    return bool(marks.mark_line(body)) and client.is_me(login_of(user))
