"""Each part of the engine can be turned off: the run still ends green, and nothing is shown of what
was not done."""

from collections.abc import Callable

import pytest
from tally_journey import REPLIES, Journey

from bot.base import Outcome
from bot.config import Settings, Switches
from bot.phases.run import RunState

pytestmark = pytest.mark.timeout(300)

# What is so in a run with a part and not in one without it, from its state and its reviews.
SIGNS: dict[str, Callable[[RunState, str], bool]] = {
    "tools": lambda state, _: any(t.agent == "judge" for t in state.tools),
    "co_evolution": lambda state, shown: (
        "Plan and code agree." in shown.partition("### 🔁 Code")[2]
    ),
    "experience": lambda state, _: bool(state.experiences),
    "relations": lambda state, _: bool(state.project.predicted),
    "retrieval": lambda state, _: bool(state.shown),
    "gate": lambda _, shown: "| static gate | 2 |" in shown,
    "messages": lambda _, shown: "| sequence diagrams |" in shown,
    "agenda": lambda _, shown: "| mend first |" in shown,
    "ratchet": lambda _, shown: "The ratchet is off" not in shown,
}
# What goes with a part.
NEEDS = {"co_evolution": {"relations", "retrieval"}, "tools": {"gate", "messages"}}


@pytest.mark.parametrize("off", ["co_evolution", "relations", "retrieval", "gate", "agenda", "all"])
def test_a_run_without_a_part_still_ends_green(
    off: str, journey: Journey, tally_files: dict[str, bytes]
) -> None:
    names = Switches.model_fields.keys() if off == "all" else {off}
    journey.settings = Settings.model_validate(
        {"model": "claude-opus-4.8", "switches": dict.fromkeys(names, False)}
    )
    journey.begin(tally_files)
    state, _, _ = journey.go(REPLIES)
    assert state.outcome is Outcome.PASSED
    missing = set(names).union(*(NEEDS.get(name, set()) for name in names))
    shown = "\n".join(journey.reviews())
    assert {
        name for name, sign in SIGNS.items() if not sign(state, shown)
    } == missing & SIGNS.keys()
