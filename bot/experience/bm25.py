"""BM25 by an inverted index: the scores of rank-bm25's `BM25Okapi` without its loop over documents.

Only documents that hold a word of the query are touched, and documents can be added and removed.
The formula, its floor for frequent words included, is that of
https://github.com/dorianbrown/rank_bm25 (Trotman et al., Improvements to BM25 and Language Models
Examined).
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]

K1 = 1.5
B = 0.75
EPSILON = 0.25


class _Postings:
    """The documents that hold one word, and how often."""

    def __init__(self) -> None:
        self.documents = array("q")
        self.counts = array("d")

    def append(self, document: int, count: int) -> None:
        self.documents.append(document)
        self.counts.append(count)

    def drop(self, document: int) -> None:
        at = self.documents.index(document)
        del self.documents[at], self.counts[at]


class Index:
    """Documents in slots 0, 1, 2, …; a removed one leaves its slot empty."""

    def __init__(self) -> None:
        self._postings: dict[str, _Postings] = {}
        self._words: list[frozenset[str]] = []
        self._lengths = array("d")
        self._size = 0
        self._idf: dict[str, float] = {}
        self._norm: Scores = np.zeros(0)
        self._stale = True

    def __len__(self) -> int:
        """How many documents there are."""
        return self._size

    @property
    def slots(self) -> int:
        return len(self._words)

    def add(self, words: Sequence[str]) -> int:
        """Add a document and return its slot."""
        slot = len(self._words)
        counts = Counter(words)
        for word, count in counts.items():
            if word not in self._postings:
                self._postings[word] = _Postings()
            self._postings[word].append(slot, count)
        self._words.append(frozenset(counts))
        self._lengths.append(len(words))
        self._size += 1
        self._stale = True
        return slot

    def remove(self, slot: int) -> None:
        """Remove a document; the scores are then those of the others alone."""
        for word in self._words[slot]:
            self._postings[word].drop(slot)
            if not self._postings[word].documents:
                del self._postings[word]
        self._words[slot] = frozenset()
        self._lengths[slot] = 0.0
        self._size -= 1
        self._stale = True

    def scores(self, query: Iterable[str]) -> Scores:
        """One score a slot; a word that the query repeats counts as often as it stands there."""
        scores = np.zeros(self.slots)
        if not self._size:
            return scores
        self._refresh()
        for word, times in Counter(query).items():
            postings = self._postings.get(word)
            if postings is None:
                continue
            slots = np.frombuffer(postings.documents, dtype=np.int64)
            counts = np.frombuffer(postings.counts, dtype=np.float64)
            gain = counts * (K1 + 1) / (counts + self._norm[slots])
            scores[slots] += times * self._idf[word] * gain
        return scores

    def _refresh(self) -> None:
        """Words' weights and documents' norms depend on all documents; they are made anew at the
        first query after a change."""
        if not self._stale:
            return
        lengths = np.array(self._lengths, dtype=np.float64)
        average = float(lengths.sum()) / self._size or 1.0
        self._norm = K1 * (1 - B + B * lengths / average)
        self._idf = self._weights()
        self._stale = False

    def _weights(self) -> dict[str, float]:
        """log((N - n + 0.5) / (n + 0.5)); negative ones become a share of the average."""
        idf = {}
        for word, postings in self._postings.items():
            n = len(postings.documents)
            idf[word] = log(self._size - n + 0.5) - log(n + 0.5)
        floor = EPSILON * sum(idf.values()) / len(idf) if idf else 0.0
        return {word: weight if weight >= 0 else floor for word, weight in idf.items()}
