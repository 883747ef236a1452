"""The one place for writes: looks a mark up, writes once, and looks again when in doubt."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TypeVar

import yaml

from bot.base import Data
from bot.forge.github import marks
from bot.forge.github.client import GitHubClient
from bot.forge.github.errors import Refused, Unclear
from bot.markdown import BODY_LIMIT, silence, truncate, unmention

T = TypeVar("T")
_ATTEMPTS = 4
# How GitHub says that a thing is there already: from GraphQL, for contents, for all else.
_THERE_ALREADY = (400, 409, 422)
TITLE_LIMIT = 256


class Phrases(Data):
    truncated: str
    off_diff: str
    too_many: str


@cache
def phrases() -> Phrases:
    text = (files("bot.forge.github") / "phrases.yml").read_text(encoding="utf-8")
    return Phrases.model_validate(yaml.safe_load(text))


class Writer:
    """Writes of one client. Pacing and waiting for rate limits are the transport's; a refusal
    passes through as it is."""

    def __init__(self, client: GitHubClient) -> None:
        self._client = client

    def once(self, find: Callable[[], T | None], create: Callable[[], T]) -> T:
        """What `find` sees, else what `create` makes. After an unclear failure `find` decides
        whether to create again; after a refusal, whether somebody was quicker by a moment."""
        pause = self._client.settings.settle_seconds
        for _ in range(_ATTEMPTS):
            found = find()
            if found is not None:
                return found
            try:
                return create()
            except Unclear as error:
                unclear = error
            except Refused as refusal:
                if refusal.status in _THERE_ALREADY and (found := find()) is not None:
                    return found
                raise
            self._client.clock.sleep(pause)
            pause *= 2
        found = find()
        if found is None:
            raise unclear
        return found

    def set(self, change: Callable[[], T]) -> T:
        """A change that leaves the same behind however often it is made."""
        pause = self._client.settings.settle_seconds
        for _ in range(_ATTEMPTS - 1):
            try:
                return change()
            except Unclear:
                self._client.clock.sleep(pause)
                pause *= 2
        return change()

    def marked(self, body: str, mark: str) -> str:
        """A body as it is posted: it shows no secret, summons nobody, fits, and ends with its
        mark."""
        return self.with_mark_line(body, marks.hidden(mark))

    def with_mark_line(self, body: str, line: str) -> str:
        """As `marked`, with the line that holds the mark; "" for none."""
        if not line:
            return self.fitting(body)
        return f"{self.fitting(body, BODY_LIMIT - len(line) - 2)}\n\n{line}"

    def fitting(self, body: str, limit: int = BODY_LIMIT) -> str:
        """A body without a mark. Secrets go before the cut, which could leave half of one."""
        text = silence(self._client.redactor.shown(body)).strip("\n").rstrip()
        return truncate(text, limit, phrases().truncated)

    def title_line(self, text: str, limit: int = TITLE_LIMIT) -> str:
        """A title on one line, cut to what GitHub takes; it may become a commit message when a
        pull request is merged, so it refers to nothing either."""
        line = " ".join(unmention(self._client.redactor.shown(text)).split())
        return line if len(line) <= limit else f"{line[: limit - 1]}…"
