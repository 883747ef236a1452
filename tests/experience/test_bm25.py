"""The index gives the scores of rank-bm25, before and after documents come and go."""

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from bot.experience.bm25 import Index

WORDS = [f"w{n}" for n in range(12)]
DOCUMENT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9)


def _index(documents: list[list[str]]) -> Index:
    index = Index()
    for document in documents:
        index.add(document)
    return index


@settings(max_examples=150, deadline=None)
@given(st.lists(DOCUMENT, min_size=1, max_size=30), st.lists(st.sampled_from([*WORDS, "x"])))
def test_scores_are_those_of_rank_bm25(documents: list[list[str]], query: list[str]) -> None:
    expected = BM25Okapi(documents).get_scores(query)
    assert np.allclose(_index(documents).scores(query), expected, rtol=0, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(st.lists(DOCUMENT, min_size=2, max_size=20), st.data())
def test_removed_documents_leave_the_scores_of_the_others(
    documents: list[list[str]], data: st.DataObject
) -> None:
    slots = range(len(documents))
    removed = data.draw(st.sets(st.sampled_from(slots), max_size=len(documents) - 1))
    index = _index(documents)
    index.scores(WORDS)
    for slot in removed:
        index.remove(slot)
    left = [slot for slot in slots if slot not in removed]
    expected = BM25Okapi([documents[slot] for slot in left]).get_scores(WORDS)
    scores = index.scores(WORDS)
    assert np.allclose(scores[left], expected, rtol=0, atol=1e-12)
    assert not scores[sorted(removed)].any()
    assert len(index) == len(left)


def test_an_index_grown_in_steps_equals_one_made_at_once() -> None:
    chance = random.Random(3)
    documents = [chance.choices(WORDS, k=chance.randint(1, 8)) for _ in range(300)]
    grown = Index()
    for document in documents:
        grown.add(document)
        grown.scores(["w1"])
    query = ["w1", "w2", "w2", "w9"]
    expected = BM25Okapi(documents).get_scores(query)
    assert np.allclose(grown.scores(query), expected, rtol=0, atol=1e-12)


def test_an_empty_index_scores_nothing() -> None:
    index = Index()
    assert index.scores(["w1"]).size == 0
    index.remove(index.add(["w1"]))
    assert index.scores(["w1"]).tolist() == [0.0]
