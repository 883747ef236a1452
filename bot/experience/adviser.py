"""What the code phase calls: advice for failing tests, what came of it, and what was learnt."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from itertools import zip_longest
from threading import Lock

from jinja2 import Environment, StrictUndefined, Template

from bot.checks.report import Report
from bot.experience.families import troubles
from bot.experience.learn import effect_of
from bot.experience.recall import Recalled, Shelf
from bot.ports.experience import Experience, ExperienceStore, Kind, Scope

MOST_LESSONS = 3
_MOST_TROUBLES = 3


class Adviser:
    """Advice from one store for one repository. Safe to use from several threads.

    A round of repair calls `advice_for` before the model is asked, and after the next check run
    `came_of` with both reports and `remember` with what `learn.lessons` made of them. All three may
    be repeated with the same mark, such as when a killed run goes on. They raise StoreUnavailable
    where the store cannot be used.
    """

    def __init__(self, store: ExperienceStore, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._shelf = Shelf()
        self._tick = 0
        self._lock = Lock()

    def advice_for(self, report: Report, *, mark: str, most: int = MOST_LESSONS) -> str:
        """Text for a prompt, "" where nothing fits. What is given is written down under `mark`,
        which names the run and its step."""
        given = self.recall(report, most=most)
        if not given:
            return ""
        self._store.given(self._marked(mark), (lesson.number for lesson in given))
        return _template().render(lessons=given).strip()

    def recall(self, report: Report, *, most: int = MOST_LESSONS) -> tuple[Recalled, ...]:
        """What fits the report's failures, one of each family; nothing is written down."""
        with self._lock:
            self._tick, changed = self._store.changes(self._scope, self._tick)
            self._shelf.put(changed)
            ranked = [self._shelf.recall(t.signal, most) for t in troubles(report)[:_MOST_TROUBLES]]
        return _in_turn(ranked)[:most]

    def came_of(self, before: Report, after: Report, *, mark: str) -> tuple[str, ...]:
        """Write down what the advice of `mark` led to; what does harm is retired by the store.
        Return the ids of what was given."""
        return self._store.settle(self._marked(mark), effect_of(before, after))

    def remember(self, experiences: Iterable[Experience], *, mark: str) -> None:
        """Keep what was learnt in the step that `mark` names."""
        for experience in experiences:
            self._store.add(self._scope, experience, mark=self._marked(mark))

    def _marked(self, mark: str) -> str:
        return f"{self._scope.installation}/{self._scope.repository}/{mark}"


def _in_turn(ranked: Sequence[Sequence[Recalled]]) -> tuple[Recalled, ...]:
    """The best of each list, then the second of each; of each family of failures the best of what
    helped and of what did not, for its lessons share a principle."""
    found: dict[tuple[str, Kind], Recalled] = {}
    for row in zip_longest(*ranked):
        for lesson in row:
            if lesson is not None:
                found.setdefault((lesson.experience.family, lesson.experience.kind), lesson)
    return tuple(found.values())


@cache
def _template() -> Template:
    text = resources.files("bot.experience").joinpath("advice.md.j2").read_text("utf-8")
    # Plain text for a model, no page: nothing is to be escaped.
    return Environment(undefined=StrictUndefined, autoescape=False).from_string(text)  # noqa: S701
