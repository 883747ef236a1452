from pathlib import Path

import pytest
from tally import count, top


def test_words_are_counted_in_lower_case():
    assert count("A a b") == {"a": 2, "b": 1}


def test_punctuation_at_the_ends_is_dropped():
    assert count("Well, well!") == {"well": 2}


def test_ties_are_in_alphabetical_order():
    assert top("b a b a c", 2) == ["a", "b"]


def test_a_negative_number_is_refused():
    with pytest.raises(ValueError):
        top("a", -1)


def test_given_data_is_there():
    assert top(Path("data/words.txt").read_text(), 1) == ["tally"]
