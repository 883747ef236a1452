"""What a file must be before anybody uses it, whichever agent wrote it."""

from collections.abc import Collection

from bot.agents.allowed import configures_tests
from bot.agents.replies import ReplyRejected
from bot.agents.texts import why
from bot.agents.wanted import new_objection
from bot.base import Data
from bot.syntax import parse


class Source(Data):
    """A file as a prompt shows it; `part` says that it is not all of it."""

    path: str
    text: str
    part: bool = False


def check_packages(path: str, source: str, before: str, named: Collection[str]) -> None:
    """Raise ReplyRejected where a file of requirements asks for a new package that nobody stands
    for; `before` is what the file held, `named` the packages that people name."""
    objection = new_objection(path, source, before, named)
    if objection:
        raise ReplyRejected(objection)


def check_source(path: str, source: str, before: str = "") -> None:
    """Raise ReplyRejected where a Python file does not parse, or a file configures the tests in
    another way than `before`, as it stands."""
    if configures_tests(path, source, before):
        raise ReplyRejected(why("configures", path=path))
    if not path.endswith(".py"):
        return
    try:
        parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ReplyRejected(why("not_python", path=path, reason=reason, line=line)) from error
