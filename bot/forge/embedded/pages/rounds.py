"""Groups what happened on a pull request into rounds, the way a reader thinks of it.

A round is a push and what followed from it: its commits, the checks that ran on them, the reviews
that judged them and what people said until the next push.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from bot.forge.embedded.git.objects import Commit
from bot.forge.embedded.pages.tally import Tally
from bot.forge.embedded.store.rows import Comment, Review, TimelineEvent

_NAMED = re.compile(r"(Architecture|Skeleton|Code), round (\d{1,3}):?(.*)")

Result = Literal["passed", "failed", "running", "none"]


@dataclass(frozen=True)
class Check:
    """A check run or commit status on `sha`; `state` is its conclusion, or its status while it
    has none. `url` is its page here."""

    sha: str
    name: str
    state: str
    title: str
    url: str
    at: datetime
    tally: Tally | None = None

    @property
    def words(self) -> str:
        """The title, or the numbers where the title tells none."""
        counts = any(letter.isdigit() for letter in self.title)
        return self.title if counts or self.tally is None else self.tally.words

    @property
    def is_verdict(self) -> bool:
        return self.name.endswith("/ judge")

    @property
    def verdict(self) -> str:
        return {"success": "pass", "neutral": "revise"}.get(self.state, "broken")

    @property
    def result(self) -> Result:
        if self.state == "success":
            return "passed"
        if self.state in ("failure", "error", "timed_out", "cancelled", "action_required"):
            return "failed"
        return "none" if self.state in ("neutral", "skipped", "stale") else "running"


@dataclass(frozen=True)
class Happening:
    """One entry of the timeline; which of the fields is set says what it is."""

    at: datetime
    commits: tuple[Commit, ...] = ()
    checks: tuple[Check, ...] = ()
    review: Review | None = None
    comment: Comment | None = None
    event: TimelineEvent | None = None


@dataclass(frozen=True)
class Round:
    """`number` counts from 1; `checks` holds the newest of each name on the round's commits."""

    number: int
    commits: tuple[Commit, ...]
    checks: tuple[Check, ...]
    happenings: tuple[Happening, ...] = ()

    @property
    def label(self) -> str:
        """The bot's own name of the round, such as "Code 2", or its number."""
        named = _NAMED.match(self._subject)
        return f"{named[1]} {named[2]}" if named else f"Round {self.number}"

    @property
    def title(self) -> str:
        """What the last commit says, without what the label says already."""
        named = _NAMED.match(self._subject)
        rest = (named[3] if named else self._subject).removesuffix("[skip ci]").strip()
        return rest[:1].upper() + rest[1:]

    @property
    def verdict(self) -> str:
        """What the judge's check run says: pass, revise, broken, or nothing."""
        judged = [check for check in self.checks if check.is_verdict]
        return judged[-1].verdict if judged else ""

    @property
    def _subject(self) -> str:
        return self.commits[-1].message.split("\n", 1)[0] if self.commits else ""

    @property
    def tally(self) -> Tally | None:
        """The tests of the round: of the check that ran most of them."""
        tallies = [check.tally for check in self.checks if check.tally]
        return max(tallies, key=lambda tally: tally.total, default=None)

    @property
    def result(self) -> Result:
        results = {check.result for check in self.checks}
        order: tuple[Result, ...] = ("failed", "running", "passed")
        return next((result for result in order if result in results), "none")


@dataclass(frozen=True)
class Story:
    """All that belongs to one pull request; commits oldest first, the rest in any order."""

    commits: Sequence[Commit]
    checks: Sequence[Check] = ()
    reviews: Sequence[Review] = ()
    comments: Sequence[Comment] = ()
    events: Sequence[TimelineEvent] = field(default=())


def tell(story: Story) -> list[Round]:
    """The rounds of a pull request, oldest first; at least one where anything happened."""
    groups = _pushes(story)
    starts = [group[0].committer.date for group in groups]
    rounds = [_round(number, group, story) for number, group in enumerate(groups, 1)]
    talk = [
        *(Happening(c.created_at, comment=c) for c in story.comments),
        *(Happening(e.created_at, event=e) for e in story.events),
        *(Happening(r.submitted_at, review=r) for r in _elsewhere(story) if r.submitted_at),
    ]
    if not rounds and talk:
        rounds, starts = [Round(1, (), ())], [min(h.at for h in talk)]
    for happening in talk:
        place = max(0, sum(start <= happening.at for start in starts) - 1)
        rounds[place] = _with(rounds[place], happening)
    return [_sorted(one) for one in rounds]


def _pushes(story: Story) -> list[list[Commit]]:
    """Commits grouped so that each group ends with one that was checked or reviewed."""
    judged = {check.sha for check in story.checks} | {r.commit_id for r in story.reviews}
    groups: list[list[Commit]] = [[]]
    for commit in story.commits:
        groups[-1].append(commit)
        if commit.sha in judged:
            groups.append([])
    return [group for group in groups if group]


def _round(number: int, group: list[Commit], story: Story) -> Round:
    shas = {commit.sha for commit in group}
    checks = _newest([check for check in story.checks if check.sha in shas])
    happenings = [Happening(group[-1].committer.date, commits=tuple(group))]
    if checks:
        happenings.append(Happening(max(check.at for check in checks), checks=checks))
    happenings += [
        Happening(review.submitted_at, review=review)
        for review in story.reviews
        if review.commit_id in shas and review.submitted_at
    ]
    return Round(number, tuple(group), checks, tuple(happenings))


def _newest(checks: list[Check]) -> tuple[Check, ...]:
    by_name = {check.name: check for check in sorted(checks, key=lambda check: check.at)}
    return tuple(by_name[name] for name in sorted(by_name))


def _elsewhere(story: Story) -> list[Review]:
    """Reviews of commits that a force-push has taken off the branch."""
    shas = {commit.sha for commit in story.commits}
    return [review for review in story.reviews if review.commit_id not in shas]


def _with(one: Round, happening: Happening) -> Round:
    return Round(one.number, one.commits, one.checks, (*one.happenings, happening))


def _sorted(one: Round) -> Round:
    ordered = sorted(one.happenings, key=lambda h: (not h.commits, h.at))
    return Round(one.number, one.commits, one.checks, tuple(ordered))
