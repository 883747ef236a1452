"""What a bench says: figures over all tasks, and one row for each task (docs/contracts.md)."""

from collections.abc import Sequence

from bot.base import Data

Value = float | int | str | bool | None


class BenchResult(Data):
    """`figures` by the keys of docs/contracts.md; each row of `tasks` names its `task`."""

    bench: str
    figures: dict[str, Value]
    tasks: tuple[dict[str, Value], ...]


def mean(values: Sequence[float]) -> float | None:
    """The mean, None of nothing."""
    return round(sum(values) / len(values), 4) if values else None


def share(part: int, whole: int) -> float | None:
    """part / whole, None of nothing."""
    return round(part / whole, 4) if whole else None
