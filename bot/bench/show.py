"""A bench's result as tables for a person."""

from rich.console import Console
from rich.table import Table

from bot.bench.catalogue import goals_of
from bot.bench.result import BenchResult, Value


def show_result(console: Console, result: BenchResult) -> None:
    """One row for each task with as many columns as the console holds, then the figures with their
    goals; `--json` has all columns."""
    columns = _fitting(result, console.width)
    tasks = Table()
    for column in columns:
        tasks.add_column(column)
    for row in result.tasks:
        tasks.add_row(*(_text(row[c]) for c in columns))
    console.print(tasks)
    goals = goals_of(result.bench)
    figures = Table("figure", "value", "goal", "")
    for key, value in result.figures.items():
        goal = goals.get(key)
        said = f"{goal.relation} {goal.number:g}" if goal else ""
        met = {True: "[green]met[/green]", False: "[red]missed[/red]", None: ""}
        figures.add_row(key, _text(value), said, met[goal.met(value)] if goal else "")
    console.print(figures)


def _fitting(result: BenchResult, width: int) -> list[str]:
    """The first columns that stand side by side in so many characters."""
    used = 1
    columns: list[str] = []
    for column in result.tasks[0] if result.tasks else ():
        used += 3 + max(len(column), *(len(_text(row[column])) for row in result.tasks))
        if used > width and columns:
            break
        columns.append(column)
    return columns


def _text(value: Value) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
