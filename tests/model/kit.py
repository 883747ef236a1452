"""Small things that the tests of the model room share."""

from datetime import UTC, datetime
from pathlib import Path

from bot.config import BudgetSettings
from bot.model.attempt import Backend
from bot.model.prices import Prices
from bot.model.recorded import RecordedModel, open_recorded
from bot.ports.calls import CallKeeper
from bot.ports.model import ChatMessage, ModelRequest

UNLIMITED = BudgetSettings(usd=None, tokens=None, calls=None, minutes=None)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def ask(
    step: str = "code.1/write/pkg/a.py",
    text: str = "Write pkg/a.py.",
    *,
    model: str = "gpt-5",
    max_output: int = 1000,
    role: str = "coder",
    json_object: bool = False,
    temperature: float = 0.0,
) -> ModelRequest:
    return ModelRequest(
        role=role,
        step=step,
        model=model,
        messages=(
            ChatMessage(role="system", content="You write Python."),
            ChatMessage(role="user", content=text),
        ),
        max_output=max_output,
        json_object=json_object,
        temperature=temperature,
    )


def recorded(
    backend: Backend,
    folder: Path,
    limits: BudgetSettings = UNLIMITED,
    *,
    prices: Prices | None = None,
    clock: Clock | None = None,
    used_seconds: float = 0.0,
    keeper: CallKeeper | None = None,
) -> RecordedModel:
    return open_recorded(
        backend,
        folder,
        limits,
        prices=prices or Prices(),
        clock=clock or Clock(),
        now=lambda: datetime(2026, 11, 30, 12, 0, tzinfo=UTC),
        used_seconds=used_seconds,
        keeper=keeper,
    )
