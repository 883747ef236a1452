"""The experience port: what was learnt, what came of telling it, and where both are kept."""

import hashlib
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Protocol

from pydantic import Field

from bot.base import Data, RepowrightError


class Effect(StrEnum):
    """What a change did to the check tests (E, III-D)."""

    IMPROVED = "improved"
    NO_EFFECT = "no effect"
    REGRESSED = "regressed"


class Kind(StrEnum):
    """Whether a repair that helped taught it, or one that did not."""

    SUCCESS = "success"
    FAILURE = "failure"


class Stage(StrEnum):
    """The third of its phase's iterations in which an experience was made (E, Table IV)."""

    EARLY = "early"
    MIDDLE = "middle"
    LATE = "late"


class Experience(Data):
    """One lesson: when it applies, what to do, and what that did. It names nothing of the project
    that taught it. `family` is the kind of failure, `signal` the words of the error text by which
    it is found again."""

    family: str = Field(max_length=60)
    scenario: str = Field(max_length=600)
    strategy: str = Field(max_length=1200)
    outcome: Effect
    kind: Kind
    stage: Stage
    signal: tuple[str, ...] = Field(max_length=200)

    @property
    def id(self) -> str:
        """Sixteen hexadecimal digits; equal for the same lesson wherever it was learnt."""
        return _digest(self.scenario, self.advice, self.outcome, self.kind, *self.signal)

    @property
    def advice(self) -> str:
        """Sixteen hexadecimal digits; equal for all experiences that advise the same."""
        return _digest(self.family, self.strategy)


class Tally(Data):
    """How often an experience was learnt, and what came of the times it was given."""

    learned: int = Field(default=1, ge=0)
    improved: int = Field(default=0, ge=0)
    no_effect: int = Field(default=0, ge=0)
    regressed: int = Field(default=0, ge=0)


class Kept(Data):
    """An experience as the store holds it. `number` is the store's own; `gone` stands for one that
    was deleted and whose text is no more."""

    number: int
    experience: Experience | None
    tally: Tally = Tally()
    retired: bool = False

    @property
    def gone(self) -> bool:
        return self.experience is None


class Scope(Data):
    """For whom the store is read or written. Repositories of one installation share unless
    `shared` is false, or the store's own switch is off for one; then a repository reads only its
    own and shows its own to nobody."""

    installation: int = 0
    repository: str = ""
    shared: bool = True


class StoreUnavailable(RepowrightError):
    """The experience store cannot be reached, read or written."""


class ExperienceStore(Protocol):
    """Keeps experiences durably; safe to use from several threads and processes. Everything may
    raise StoreUnavailable."""

    def add(self, scope: Scope, experience: Experience, *, mark: str) -> None:
        """Keep an experience, or count it as learnt once more where it is there already. `mark`
        names the run and step that taught it; a repeat changes nothing."""
        ...

    def changes(self, scope: Scope, after: int) -> tuple[int, Sequence[Kept]]:
        """The newest tick, and what changed after the tick `after`; what `scope` may not see is
        gone for it."""
        ...

    def given(self, mark: str, numbers: Iterable[int]) -> None:
        """Write down what was given; `mark` names the run and step, as RUN:STEP. A repeat takes the
        place of what was given before, as long as nothing has come of that."""
        ...

    def settle(self, mark: str, effect: Effect) -> tuple[str, ...]:
        """Write down what came of what `mark` was given, once; retire what does harm. Return the
        ids of what was given, none where nothing was."""
        ...

    def delete(self, id_: str) -> int:
        """Delete the experiences of this id and return how many there were."""
        ...

    def share(self, scope: Scope) -> int:
        """Switch whether a repository shares, by `scope.shared`, for what it taught and for what it
        will; return how many experiences that showed or hid. While it is off, the repository reads
        only its own."""
        ...


class Phraser(Protocol):
    """May word an experience better, such as with a model; the caller checks it for names again
    and keeps the first wording where the new one fails."""

    def phrase(self, experience: Experience) -> Experience: ...


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
