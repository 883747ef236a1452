"""Whole cents are divided by largest remainder, and none is lost."""

import random

import pytest

from evensteven import SplitError, allocate


@pytest.mark.parametrize(
    ("total", "weights", "expected"),
    [
        (100, [1, 1, 1], (34, 33, 33)),
        (101, [1, 1, 1], (34, 34, 33)),
        (100, [1, 2, 3], (17, 33, 50)),
        (10, [1, 1, 1, 1, 1, 1, 1], (2, 2, 2, 1, 1, 1, 1)),
        (1, [1, 3], (0, 1)),
        (7, [0, 1, 0, 1], (0, 4, 0, 3)),
        (0, [2, 5], (0, 0)),
        (99, [5], (99,)),
    ],
)
def test_largest_remainder_then_first_in_the_list(total, weights, expected):
    assert allocate(total, weights).amounts == expected


@pytest.mark.parametrize("total", [1, 7, 100, 101, 9999])
@pytest.mark.parametrize("weights", [[1, 1, 1], [3, 2, 2], [1, 0, 6, 5]])
def test_a_negative_total_is_the_mirror_image(total, weights):
    there = allocate(total, weights)
    back = allocate(-total, weights)
    assert back.amounts == tuple(-amount for amount in there.amounts)
    assert back.odd == there.odd


def test_odd_marks_the_amounts_with_a_cent_more():
    assert allocate(101, [1, 1, 1]).odd == (1, 1, 0)
    assert allocate(-100, [1, 1, 1]).odd == (1, 0, 0)
    assert allocate(99, [1, 1, 1]).odd == (0, 0, 0)


def test_the_lowest_priority_is_next_among_equal_remainders():
    assert allocate(100, [1, 1, 1], [2, 0, 1]).amounts == (33, 34, 33)
    assert allocate(101, [1, 1, 1], [2, 0, 1]).amounts == (33, 34, 34)
    assert allocate(-101, [1, 1, 1], [2, 0, 1]).amounts == (-33, -34, -34)
    assert allocate(100, [1, 1, 1], [5, 5, 5]).amounts == (34, 33, 33)


def test_a_larger_remainder_beats_priority():
    assert allocate(100, [1, 2, 3], [9, 0, 0]).amounts == (17, 33, 50)


@pytest.mark.parametrize("weights", [[], [0], [0, 0], [2, -1], [-1, -1]])
def test_nobody_to_share_with(weights):
    with pytest.raises(SplitError):
        allocate(100, weights)


def test_no_cent_is_lost_with_large_numbers():
    dice = random.Random(7)
    for _ in range(300):
        weights = [dice.randint(1, 10**12) for _ in range(dice.randint(1, 9))]
        total = dice.randint(-(10**18), 10**18)
        result = allocate(total, weights)
        assert sum(result.amounts) == total
        for amount, weight in zip(result.amounts, weights, strict=True):
            assert abs(amount * sum(weights) - total * weight) < sum(weights)
