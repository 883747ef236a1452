"""The table of units."""

import dataclasses

import pytest

from jiffy import UNITS, find_unit


def test_units_go_from_large_to_small():
    assert [unit.short for unit in UNITS] == ["w", "d", "h", "m", "s", "ms"]
    lengths = [unit.milliseconds for unit in UNITS]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] == 7 * 24 * 60 * 60 * 1000


@pytest.mark.parametrize("word", ["hour", "hours", "h", "hr", "hrs", "HOURS", "Hr"])
def test_an_hour_has_many_names(word):
    assert find_unit(word).name == "hour"


@pytest.mark.parametrize("word", ["", "month", "hs", "ws", "mss", "secss"])
def test_other_words_are_no_units(word):
    assert find_unit(word) is None


def test_labels_and_immutability():
    hour = find_unit("h")
    assert (hour.label(0), hour.label(1), hour.label(2)) == ("hours", "hour", "hours")
    with pytest.raises(dataclasses.FrozenInstanceError):
        hour.milliseconds = 1
