"""What a leg works with. The engine sees protocols; wiring.py chooses what stands behind them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.agents.ask import Desk
from bot.base import Data
from bot.config import BudgetSettings, Settings
from bot.experience.adviser import Adviser
from bot.phases.run import RunState
from bot.phases.tally import Tally
from bot.ports.checks import Checks
from bot.ports.forge import Forge
from bot.ports.git import GitStore
from bot.ports.model import Model, Usage


class Spent(Data):
    """What the run has cost so far; seconds are those of waiting for the model."""

    usd: float = 0.0
    calls: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0


class Record(Protocol):
    """The run's record of model calls: what is committed to the run's ref."""

    def files(self) -> Mapping[str, bytes]:
        """`ledger.jsonl` and `calls/…`, as they stand now."""
        ...

    def spent(self) -> Spent: ...

    def top_up(self, text: str, limits: BudgetSettings) -> BudgetSettings | None:
        """Raise the limits as `text` says (`+2usd`, `+20calls`, `+100000tokens`, `+30minutes`)
        from the next call on, and return them; None where it says none of these."""
        ...


class Narrator(Protocol):
    """Hears what happens while it happens."""

    def tell(self, state: RunState, text: str) -> None: ...


@dataclass(frozen=True)
class Services:
    """`checks` tell of the check tests, wherever they run; `check_workflow` is the text of the
    workflow that a repository needs; `bot_email` tells the bot's own commits from people's;
    `adviser` is None where nothing is learnt. `tally` gives what the run has written up to now,
    where that is counted."""

    forge: Forge
    checks: Checks
    git: GitStore
    model: Model
    record: Record
    narrator: Narrator
    clock: Callable[[], datetime]
    bot_email: str
    check_workflow: str
    adviser: Adviser | None = None
    tally: Callable[[], Tally] | None = None

    def desk(self, settings: Settings) -> Desk:
        return Desk(model=self.model, settings=settings)
