"""Finds the experiences that fit a failure: BM25 over the words of error texts, weighted by how
often the same advice has helped (E, III-D and IV-D)."""

from array import array
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from bot.base import Data
from bot.experience.bm25 import Index, Scores
from bot.experience.families import background
from bot.ports.experience import Effect, Experience, Kept, Tally

# What is known of an advice that was never given: 35.3 % of retrievals improved (E, Table IV),
# taken as seriously as three retrievals of its own.
PRIOR_SHARE = 0.353
PRIOR_STRENGTH = 3.0
# A harmful retrieval counts as that many without effect.
HARM = 2.0
# How far the share of success moves a score: by 32 % upwards and 18 % downwards at most.
INFLUENCE = 0.5
# Experiences that score less than this share of the best one are not given.
LEAST_SHARE = 0.25

_FIRST_LOOK = 64
_NOBODY = -1


class Recalled(Data):
    """An experience that fits, with its BM25 score and the weight of its advice; `record` is what
    came of that advice over all experiences that give it."""

    number: int
    experience: Experience
    score: float
    weight: float
    record: Tally


class _Advice:
    """What came of one advice. `weight` is 1 where nothing is known."""

    def __init__(self) -> None:
        self.learned = self.improved = self.no_effect = self.regressed = self.succeeded = 0

    def count(self, kept: Kept, sign: int) -> None:
        tally = kept.tally
        self.learned += sign * tally.learned
        self.improved += sign * tally.improved
        self.no_effect += sign * tally.no_effect
        self.regressed += sign * tally.regressed
        if kept.experience is not None and kept.experience.outcome is Effect.IMPROVED:
            self.succeeded += sign * tally.learned

    @property
    def weight(self) -> float:
        helped = self.improved + self.succeeded
        tried = helped + self.no_effect + HARM * self.regressed
        share = (helped + PRIOR_SHARE * PRIOR_STRENGTH) / (tried + PRIOR_STRENGTH)
        return 1 + INFLUENCE * (share - PRIOR_SHARE)

    @property
    def record(self) -> Tally:
        return Tally(
            learned=self.learned,
            improved=self.improved,
            no_effect=self.no_effect,
            regressed=self.regressed,
        )


class Shelf:
    """The experiences in reach, indexed; `put` brings in what a store says has changed.

    A document for each family of failures stands in the index beside the experiences and is never
    given: in a collection of very few documents BM25's weights of words are upside down.
    """

    def __init__(self) -> None:
        self._index = Index()
        self._kept: dict[int, Kept] = {}
        self._slots: dict[int, int] = {}
        self._numbers = array("q")
        self._advice_of = array("q")
        self._places: dict[str, int] = {}
        self._advices: list[_Advice] = []
        self._weights = array("d")
        for words in background():
            self._shelve(words, _NOBODY, self._place("background"))

    def __len__(self) -> int:
        return len(self._kept)

    def put(self, kept: Iterable[Kept]) -> None:
        """Bring in new and changed experiences; retired and deleted ones are taken out."""
        for entry in kept:
            old = self._kept.pop(entry.number, None)
            if old is not None and old.experience is not None:
                self._count(old, old.experience, -1)
            if entry.experience is None or entry.retired:
                if entry.number in self._slots:
                    self._index.remove(self._slots.pop(entry.number))
                continue
            self._kept[entry.number] = entry
            if entry.number not in self._slots:
                place = self._place(entry.experience.advice)
                slot = self._shelve(entry.experience.signal, entry.number, place)
                self._slots[entry.number] = slot
            self._count(entry, entry.experience, 1)

    def scores(self, words: Iterable[str]) -> dict[int, float]:
        """The BM25 score of every experience, by its number."""
        scores = self._index.scores(words)
        return {number: float(scores[slot]) for number, slot in self._slots.items()}

    def recall(self, words: Sequence[str], most: int = 3) -> tuple[Recalled, ...]:
        """The best experiences, at most `most` and no advice twice, best first."""
        scores = self._index.scores(words)
        advice = np.frombuffer(self._advice_of, dtype=np.int64)
        ranked = scores * np.frombuffer(self._weights, dtype=np.float64)[advice]
        found: dict[int, int] = {}
        for slot in _best_first(ranked):
            if ranked[slot] <= 0 or len(found) == most:
                break
            if self._numbers[slot] != _NOBODY:
                found.setdefault(self._advice_of[slot], slot)
        least = LEAST_SHARE * max((ranked[slot] for slot in found.values()), default=0.0)
        return tuple(
            self._recalled(slot, float(scores[slot]))
            for slot in found.values()
            if ranked[slot] >= least
        )

    def _recalled(self, slot: int, score: float) -> Recalled:
        number = self._numbers[slot]
        experience = self._kept[number].experience
        if experience is None:
            raise LookupError(f"experience {number} is gone")
        advice = self._advices[self._advice_of[slot]]
        return Recalled(
            number=number,
            experience=experience,
            score=score,
            weight=advice.weight,
            record=advice.record,
        )

    def _shelve(self, words: Sequence[str], number: int, place: int) -> int:
        self._numbers.append(number)
        self._advice_of.append(place)
        return self._index.add(words)

    def _place(self, advice: str) -> int:
        if advice not in self._places:
            self._places[advice] = len(self._advices)
            self._advices.append(_Advice())
            self._weights.append(1.0)
        return self._places[advice]

    def _count(self, kept: Kept, experience: Experience, sign: int) -> None:
        place = self._places[experience.advice]
        self._advices[place].count(kept, sign)
        self._weights[place] = self._advices[place].weight


def _best_first(ranked: Scores) -> Iterator[int]:
    """Slots by score, best first, equal ones in their order; only as many are sorted as needed."""
    many = _FIRST_LOOK
    done = 0
    while done < ranked.size:
        if many < ranked.size:
            least = np.partition(ranked, ranked.size - many)[ranked.size - many]
            chosen = np.flatnonzero(ranked >= least)
        else:
            chosen = np.arange(ranked.size)
        ordered = chosen[np.argsort(-ranked[chosen], kind="stable")]
        yield from (int(slot) for slot in ordered[done:])
        done, many = int(ordered.size), max(many * 8, int(ordered.size) + 1)
