"""What a person sees while a run goes on: a line for each thing that happens, a summary at the
end; or one JSON object a line, for programs."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TextIO

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from bot.doctor.finding import Finding, Status
from bot.phases.run import Round, RunState
from bot.phases.show import duration
from bot.phases.texts import count, say
from bot.runs.summary import Summary

_BAR = 12
_VERDICTS = {
    "pass": ("✓ pass", "green"),
    "revise": ("↻ revise", "yellow"),
    "unverified": ("○ unverified", "dim"),
}


class TerminalNarrator:
    """Tells people: time, phase and round, what happens; the time is that since the start."""

    def __init__(self, console: Console, clock: Callable[[], datetime]) -> None:
        self._console = console
        self._clock = clock
        self._status = console.status("", spinner="dots") if console.is_terminal else None
        if self._status:
            self._status.start()

    def tell(self, state: RunState, text: str) -> None:
        since = (self._clock() - state.started).total_seconds()
        line = Text(f"{since:6.1f} s  ", style="dim")
        line.append(f"{state.phase.value} {state.iteration or ''}".ljust(16), style="cyan")
        line.append(" ".join(text.split()))
        self._console.print(line, soft_wrap=True)
        if self._status:
            self._status.update(f"[dim]{state.phase.value} {state.iteration or ''}[/dim]")

    def close(self) -> None:
        if self._status:
            self._status.stop()


class JsonNarrator:
    """Tells programs: one object a line, `event` "progress"."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def tell(self, state: RunState, text: str) -> None:
        event = {
            "event": "progress",
            "phase": state.phase.value,
            "iteration": state.iteration,
            "text": text,
        }
        print(json.dumps(event), file=self._out, flush=True)

    def close(self) -> None:
        """Nothing is held open."""


def print_json(value: object) -> None:
    """One object on one line of standard output."""
    print(json.dumps(value), file=sys.stdout, flush=True)


def show_summary(
    console: Console, state: RunState, summary: Summary, *, replayed: bool = False
) -> None:
    """Outcome, tests, cost, time, and what to do next. Nothing was paid for what is `replayed`."""
    good = summary["outcome"] == "passed"
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", justify="right")
    facts.add_column(overflow="fold")
    tests = summary["tests"]
    facts.add_row("check tests", f"{tests['passed']} of {tests['total']} pass")
    facts.add_row("cost", _cost(summary) + (say("tell_replayed") if replayed else ""))
    facts.add_row("time", _time(summary))
    facts.add_row("issue", summary["issue"])
    if summary["pull_request"]:
        facts.add_row("pull request", summary["pull_request"])
    if summary["commit"]:
        facts.add_row("commit", f"{summary['commit'][:10]} on {summary['branch']}")
    if state.outcome:
        facts.add_row("next", say(f"do_{state.outcome.value}"))
    title = summary["outcome"].replace("_", " ").upper()
    console.print(
        Panel(
            Group(Text(summary["note"]), Text(), rounds_table(state.rounds), Text(), facts),
            title=f"{'✓' if good else '!'} {title}",
            title_align="left",
            border_style="green" if good else "yellow",
            width=min(console.width, 110),
        )
    )


def show_problems(console: Console, problems: Sequence[Mapping[str, Any]]) -> None:
    """The problems of a spec as `repowright lint --json` gives them, a line for each."""
    for problem in problems:
        style = {"fatal": "red", "warning": "yellow"}.get(problem["severity"], "dim")
        place = f"{problem['file']}:{problem['line']}:{problem['column']}"
        console.print(f"[{style}]{problem['severity']:8}[/{style}]", end=" ")
        said = f"{place}  {problem['message']}"
        console.print(said, markup=False, highlight=False, soft_wrap=True)
        if problem["hint"]:
            hint = f"         {problem['hint']}"
            console.print(hint, style="dim", markup=False, highlight=False, soft_wrap=True)


def show_findings(console: Console, findings: Sequence[Finding]) -> None:
    """One row for each check: how it went, what was found, what to do."""
    styles = {
        Status.OK: ("✓", "green"),
        Status.WARNING: ("!", "yellow"),
        Status.FAIL: ("✗", "red"),
        Status.SKIPPED: ("–", "dim"),
    }
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for found in findings:
        sign, style = styles[found.status]
        text = Text(found.found)
        if found.todo:
            text.append(f"\n{found.todo}", style="dim")
        table.add_row(Text(f"{sign} {found.status}", style=style), found.name, text)
    console.print(table)


def _cost(summary: Summary) -> str:
    tokens = summary["tokens"]
    read = tokens["input"] + tokens["cache_read"] + tokens["cache_write"]
    return (
        f"${summary['usd']:.4f} for {count(summary['calls'], 'model call')} "
        f"({read:,} tokens in, {tokens['output']:,} out)"
    )


def _time(summary: Summary) -> str:
    s = summary["seconds"]
    return (
        f"{duration(s['total'])} (model {duration(s['model'])}, "
        f"checks {duration(s['checks'])}, own {duration(s['own'])})"
    )


def rounds_table(rounds: tuple[Round, ...]) -> Table:
    """One row a round, with a bar of the passed check tests."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("round", "verdict", "check tests", "", "calls", "cost", "time"):
        table.add_column(name, no_wrap=True)
    for r in rounds:
        passed, total = r.tests_passed or 0, r.tests_total or 0
        full = _BAR * passed // total if total else 0
        bar = Text("█" * full, style="green") + Text("░" * (_BAR - full), style="grey50")
        verdict, style = _VERDICTS[r.verdict]
        table.add_row(
            f"{r.phase.value} {r.iteration}",
            Text(verdict, style=style),
            f"{passed}/{total}" if total else "–",
            bar if total else "",
            str(r.calls),
            f"${r.usd:.4f}",
            duration(r.seconds),
        )
    return table
