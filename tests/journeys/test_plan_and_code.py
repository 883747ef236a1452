"""Plan against code on the forge: in the reviews, in the pull request, in the run's ref."""

import pytest
from tally_journey import COUNTING, Journey

from bot.base import Outcome

pytestmark = pytest.mark.timeout(300)

# All tests pass, but `top` does not call `count` as the diagram has it, and `words` is unasked.
UNASKED = f"""<file path="{COUNTING}">
\"\"\"Counts words.\"\"\"

import string
from collections import Counter


def words(text: str) -> list[str]:
    \"\"\"The words of a text.\"\"\"
    found = (w.strip(string.punctuation) for w in text.lower().split())
    return [w for w in found if w]


def count(text: str) -> dict[str, int]:
    \"\"\"How often each word occurs.\"\"\"
    return dict(Counter(words(text)))


def top(text: str, n: int = 3) -> list[str]:
    \"\"\"The most frequent words.\"\"\"
    if n < 0:
        raise ValueError("n must not be negative")
    counted = Counter(words(text))
    return sorted(counted, key=lambda w: (-counted[w], w))[:n]
</file>"""


def test_drift_messages_and_picture_are_shown(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, services = journey.go({f"code.1/write/{COUNTING}#1": UNASKED})
    assert state.outcome is Outcome.PASSED
    architecture, skeleton, code = journey.reviews()
    assert "Plan and code" not in architecture
    assert "Plan and code agree." in skeleton
    assert "1 realized and not planned" in code
    assert "| realized, not planned | `tally/counting.py::words` |" in code
    assert "| sequence diagrams | 1 | 0, 1 warning |" in code
    assert "calls `count` (`tally/counting.py`), as a sequence diagram has it" in code
    body = journey.pull_request().body
    assert '["counting.py<br/>1 difference"]:::both' in body
    assert "Dotted arrow: predicted from the plan, not in the code." in body
    saved = services.git.load_ref(state.ref)
    assert saved is not None
    assert saved["drift.diff"] == b"+ tally/counting.py::words\n"
