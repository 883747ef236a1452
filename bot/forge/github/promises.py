"""What becomes of answers that are not what GitHub's documentation promises: one clear error."""

import logging
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import ParamSpec, TypeVar

from github import BadAttributeException, GithubException

from bot.forge.github.transport import last_request
from bot.ports.forge import ForgeError

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger("repowright.github")

# What PyGithub, the port's data and our own look-ups raise where a field of an answer is missing,
# null, of another type or no such date or number.
_BROKEN = (
    BadAttributeException,
    GithubException,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)


def held_to_promises(adapter: type[T]) -> type[T]:
    """A class that reads answers: its public methods raise ForgeError, which names the request,
    where an answer is not as GitHub promises. The log has the particulars."""
    for name, method in list(vars(adapter).items()):
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(adapter, name, _held(method))
    return adapter


def _held(method: Callable[P, R]) -> Callable[P, R]:
    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except _BROKEN as error:
            asked = last_request()
            _log.warning("%s: the answer is not as promised", asked, exc_info=error)
            raise ForgeError(
                "The answer of the GitHub API is not as its documentation promises",
                where=asked,
                hint="the log tells more; check any proxy in between",
            ) from error

    return call
