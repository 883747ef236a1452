"""Documentation Searcher: keywords to blocks of the documents, the best first."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rank_bm25 import BM25Plus

from bot.base import Data
from bot.spec.markdown import blocks
from bot.spec.model import Document, Location, Spec
from bot.state.model import Node, NodeKind
from bot.verify.tools.places import asked_for

_LONGEST_FENCE = 12
# BM25+ without its bonus for long texts is BM25 with weights of words that are never negative,
# also where there are few blocks.
_NO_BONUS = 0.0
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Hit(Data):
    """A block of a document. `heading` is the nearest above it; a higher `score` is better, and
    scores of different searches cannot be compared."""

    heading: str
    text: str
    score: float
    location: Location


class Text(Data):
    """One text that can be found; `words` are those it is found by."""

    heading: str
    text: str
    words: tuple[str, ...]
    location: Location


class Ranking:
    """Texts ranked by BM25 against keywords."""

    def __init__(self, texts: Iterable[Text]) -> None:
        self._texts = [t for t in texts if t.words]
        corpus = [list(t.words) for t in self._texts]
        self._scorer = BM25Plus(corpus, delta=_NO_BONUS) if corpus else None

    def search(self, keywords: str, most: int) -> tuple[tuple[Text, float], ...]:
        """The texts that share a word with the keywords, with their scores, the best first."""
        if self._scorer is None:
            return ()
        scores = [float(s) for s in self._scorer.get_scores(list(words_of(keywords)))]
        best = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:most]
        return tuple((self._texts[i], scores[i]) for i in best if scores[i] > 0)


class Searcher:
    """The documents of one spec, read once for several searches."""

    def __init__(self, spec: Spec) -> None:
        self._ranking = Ranking(t for d in spec.documents for t in _texts(d))

    def search(self, keywords: str, most: int = 8) -> tuple[Hit, ...]:
        """At most `most` blocks that share a word with the keywords, by BM25."""
        return tuple(
            Hit(heading=t.heading, text=t.text, score=round(score, 4), location=t.location)
            for t, score in self._ranking.search(keywords, most)
        )


class NodeSearcher:
    """What the nodes of a structure say of themselves, read once for several searches."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._ranking = Ranking(
            Text(
                heading=node.id,
                text=node.purpose,
                words=tuple(words_of(f"{node.id} {node.purpose}")),
                location=asked_for(node),
            )
            for node in nodes
            if node.kind is not NodeKind.MODULE
        )

    def search(self, keywords: str, most: int = 5) -> tuple[tuple[str, float], ...]:
        """(node id, score) of the nodes that share a word with the keywords, the best first."""
        return tuple((t.heading, score) for t, score in self._ranking.search(keywords, most))


def words_of(text: str) -> Iterator[str]:
    """Words and the parts of names, without case and without the commonest endings, so that
    `exportCsv`, `export_csv` and "exporting CSV" meet."""
    for word in _WORD.findall(text):
        stem = word.lower()
        if len(stem) < 2:
            continue
        for ending in ("s", "ing", "ed", "e"):
            if len(stem) - len(ending) >= 3 and not stem.endswith("ss"):
                stem = stem.removesuffix(ending)
        yield stem


def _texts(document: Document) -> Iterator[Text]:
    heading = ""
    for block in blocks(document.text):
        if block.kind == "heading":
            heading = block.text
        for line, part in _parts(block.text, block.line, fenced=block.kind == "fence"):
            yield Text(
                heading=heading,
                text=part,
                words=tuple(words_of(part if part == heading else f"{heading} {part}")),
                location=Location(file=document.file, line=document.first_line + line),
            )


def _parts(text: str, line: int, *, fenced: bool) -> Sequence[tuple[int, str]]:
    """(line counted from 0, text) of a block; a diagram or listing is cut behind each class, at
    empty lines, and where it is long."""
    if not fenced:
        return [(line, text)]
    parts: list[tuple[int, str]] = []
    rows: list[str] = []
    for number, row in enumerate(text.split("\n")):
        rows.append(row)
        if len(rows) == _LONGEST_FENCE or row.strip() in ("", "}"):
            parts.append((line + 2 + number - len(rows), "\n".join(rows)))
            rows = []
    parts.append((line + 2 + text.count("\n") - len(rows), "\n".join(rows)))
    return [(at, part.rstrip()) for at, part in parts if part.strip()]
