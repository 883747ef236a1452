"""A bench's result as tables for a person."""

from rich.console import Console
from rich.table import Table

from bot.bench.catalogue import goals_of
from bot.bench.result import BenchResult, Value


def show_result(console: Console, result: BenchResult) -> None:
    """One row for each task, then the figures with their goals."""
    if result.tasks:
        tasks = Table()
        for column in result.tasks[0]:
            tasks.add_column(column)
        for row in result.tasks:
            tasks.add_row(*(_text(v) for v in row.values()))
        console.print(tasks)
    goals = goals_of(result.bench)
    figures = Table("figure", "value", "goal", "")
    for key, value in result.figures.items():
        goal = goals.get(key)
        said = f"{goal.relation} {goal.number:g}" if goal else ""
        met = {True: "[green]met[/green]", False: "[red]missed[/red]", None: ""}
        figures.add_row(key, _text(value), said, met[goal.met(value)] if goal else "")
    console.print(figures)


def _text(value: Value) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
