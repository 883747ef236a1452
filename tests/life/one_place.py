"""The server's side of a life: the one place that it serves, and a desk on a database in a file."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from life_world import Life

from bot.phases.run import RunState
from bot.phases.services import Services
from bot.ports.model import ModelRequest
from bot.runs.database import open_database
from bot.runs.inbox import SqlInbox
from bot.runs.index import SqlRunIndex
from bot.runs.place import Desk, Place

CODE = "code.*/write/*"


class OnePlace:
    """A server's places where there is one repository, whose model does as `answer` does."""

    def __init__(self, life: Life, answer: Callable[[ModelRequest], str]) -> None:
        self._life = life
        self._answer = answer

    def all(self) -> tuple[tuple[str, int], ...]:
        return ()

    def open(self, repository: str, installation: int) -> Place:
        bot = self._life.bot
        return Place(
            repository=repository,
            settings=self._life.settings,
            forge=bot.forge,
            git=bot.git,
            scout=bot.scout,
            services=self._services,
        )

    def _services(self, state: RunState) -> Services:
        return self._life.services(state, {CODE: self._answer})


def desk_of(life: Life, folder: Path) -> Desk:
    engine = open_database(folder / "database")
    return Desk(
        inbox=SqlInbox(engine),
        index=SqlRunIndex(engine),
        clock=life.clock,
        poll=timedelta(seconds=1),
        hold=timedelta(seconds=1),
    )
