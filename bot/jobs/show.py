"""What people and later steps see of a job: its summary, its outputs, a line for each thing that
happens."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TextIO, get_args

from jinja2 import Environment, FunctionLoader, StrictUndefined

from bot.jobs.host import Turn, Why
from bot.jobs.texts import tell
from bot.markdown import defuse, line
from bot.phases.run import Phase, RunState

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class JobNarrator:
    """One line in the job's log for each thing that happens. No line begins with what others
    wrote, so none of it is a workflow command.
    https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def tell(self, state: RunState, text: str) -> None:
        where = f"{state.phase.value} {state.iteration or ''}".strip()
        said = _CONTROL.sub(" ", text)
        print(f"#{state.issue} {where}: {said}", file=self._out, flush=True)


def summary_page(
    turns: Sequence[Turn], repository_url: str, why: str, first_call: float | None
) -> str:
    """The job's summary in Markdown; `why` says what the event was where it asked for nothing,
    `first_call` is the time from the job's start to the first model call in seconds."""
    page = _pages().get_template("summary.md.j2")
    return page.render(
        turns=turns,
        repository_url=repository_url,
        why=why,
        first_call=first_call,
        words={why: tell(f"stopped_{why}") for why in get_args(Why)},
    )


def outputs_of(turns: Sequence[Turn]) -> Mapping[str, str]:
    """The step's outputs, of the last issue that was worked on."""
    if not turns:
        return {"outcome": "nothing", "issue": "", "pull-request": "", "usd": "0"}
    turn = turns[-1]
    return {
        "outcome": outcome_of(turn),
        "issue": str(turn.issue or ""),
        "pull-request": str(turn.state.pull_request or "") if turn.state else "",
        "usd": f"{turn.after.usd - turn.before.usd:.6f}",
    }


def sentence_of(turn: Turn) -> str:
    """How a job ended for one issue, on one line."""
    said = tell(f"stopped_{turn.why}")
    if turn.other is not None:
        return _CONTROL.sub(" ", f"#{turn.issue}: {said}: {turn.other.place}")
    outcome = outcome_of(turn) if turn.why == "over" else ""
    note = turn.note if turn.why in ("trouble", "nothing") else outcome
    return _CONTROL.sub(" ", f"#{turn.issue}: {said}{f': {note}' if note else ''}")


def append(file: Path | None, text: str) -> None:
    """Where a runner shows what a step leaves; nothing where there is none."""
    if file is not None:
        with file.open("a", encoding="utf-8") as out:
            out.write(text)


def outcome_of(turn: Turn) -> str:
    if turn.why in ("busy", "nothing", "trouble"):
        return turn.why
    ended = turn.state is not None and turn.state.outcome is not None and turn.why == "over"
    return turn.state.outcome.value if ended and turn.state and turn.state.outcome else "waiting"


def _trend(state: RunState) -> str:
    """The passed tests of each round as a Mermaid chart; "" where fewer than two were counted.
    https://mermaid.js.org/syntax/xyChart.html
    """
    counted = [
        (r.tests_passed or 0, r.tests_total)
        for r in state.rounds
        if r.phase is Phase.CODE and r.tests_total
    ]
    if len(counted) < 2:
        return ""
    names = ", ".join(f'"{n}"' for n in range(1, len(counted) + 1))
    passed = ", ".join(str(passed) for passed, _ in counted)
    most = max(total for _, total in counted)
    return "\n".join(
        (
            "xychart-beta",
            '  title "Passed check tests"',
            f'  x-axis "Round" [{names}]',
            f'  y-axis "Tests" 0 --> {most}',
            f"  line [{passed}]",
        )
    )


def _source(name: str) -> str:
    return resources.files("bot.jobs").joinpath(name).read_text("utf-8")


@cache
def _pages() -> Environment:
    # Markdown: others' text is made safe by the filter `defuse`, not by escapes.
    environment = Environment(  # noqa: S701
        loader=FunctionLoader(_source), undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["defuse"] = defuse
    environment.filters["one_line"] = line
    environment.globals["trend"] = _trend
    return environment
