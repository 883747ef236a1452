"""A tiny spec, a scripted model that first gets it wrong, and a box to run them in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.config import Settings
from bot.local import LocalBox, LocalRun
from bot.model.scripted import Answer, ScriptedModel
from bot.phases.run import RunState
from bot.phases.services import Services

TALLY = Path(__file__).parent / "specs" / "tally"

WRONG = """<file path="tally/counting.py">
\"\"\"Counts words.\"\"\"

from collections import Counter


def count(text: str) -> dict[str, int]:
    \"\"\"How often each word occurs.\"\"\"
    return dict(Counter(text.lower().split()))


def top(text: str, n: int = 3) -> list[str]:
    \"\"\"The most frequent words.\"\"\"
    if n < 0:
        raise ValueError("n must not be negative")
    return sorted(count(text), key=lambda w: -count(text)[w])[:n]
</file>"""

REPAIR = """Words keep their punctuation, and ties keep the order of the text.

<edit path="tally/counting.py">
<find>
    return dict(Counter(text.lower().split()))
</find>
<replace>
    words = (w.strip(string.punctuation) for w in text.lower().split())
    return dict(Counter(w for w in words if w))
</replace>
</edit>
<edit path="tally/counting.py">
<find>
key=lambda w: -count(text)[w])
</find>
<replace>
key=lambda w: (-count(text)[w], w))
</replace>
</edit>
<edit path="tally/counting.py">
<find>
from collections import Counter
</find>
<replace>
import string
from collections import Counter
</replace>
</edit>"""

REPLIES: dict[str, Answer] = {
    "code.1/write/tally/counting.py#1": WRONG,
    "code.2/repair#1": REPAIR,
}


class Diary:
    """A narrator that keeps what it hears."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def tell(self, state: RunState, text: str) -> None:
        self.lines.append(text)


@dataclass
class Journey:
    """One run in one folder; opening it again is what a restart is. `comments` are those on the
    issue and `reviews` counts those on the pull request, when the box was last closed."""

    out: Path
    settings: Settings = field(default_factory=lambda: Settings(model="claude-opus-4.8"))
    diary: Diary = field(default_factory=Diary)
    comments: list[str] = field(default_factory=list)
    reviews: int = 0

    def begin(self, files: Mapping[str, bytes]) -> LocalRun:
        with LocalBox(self.out) as box:
            return box.open_issue(files, "tally", self.settings)

    def go(
        self, replies: Mapping[str, Answer], legs: int | None = None
    ) -> tuple[RunState, ScriptedModel, Services]:
        """Open the box and drive the run, at most so many legs that move it."""
        model = ScriptedModel(replies)
        with LocalBox(self.out) as box:
            state, services = box.go(model, self.diary, wait=False, legs=legs)
            self.comments = [c.body for c in services.forge.issue(state.issue).comments]
            if state.pull_request:
                self.reviews = box.github.store.tables.reviews.count()
        return state, model, services
