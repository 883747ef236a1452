"""Everybody ends even, with few transfers and in a fixed order."""

import random

import pytest

from evensteven import SettlementError, Transfer, round_balances, settle


def pairs(transfers):
    return [(t.payer, t.receiver, t.amount) for t in transfers]


@pytest.mark.parametrize(
    ("balances", "expected"),
    [
        ({}, []),
        ({"Ada": 0, "Ben": 0}, []),
        ({"Ada": 30, "Ben": -30}, [("Ben", "Ada", 30)]),
        ({"Ada": 50, "Ben": -20, "Cyd": -30}, [("Cyd", "Ada", 30), ("Ben", "Ada", 20)]),
        ({"Ada": -50, "Ben": 20, "Cyd": 30}, [("Ada", "Cyd", 30), ("Ada", "Ben", 20)]),
        ({"Ada": -5, "Ben": -5, "Cyd": 10}, [("Ada", "Cyd", 5), ("Ben", "Cyd", 5)]),
    ],
)
def test_largest_with_largest(balances, expected):
    assert pairs(settle(balances)) == expected


def test_exact_pairs_come_first():
    balances = {"Ada": 70, "Ben": -60, "Cyd": -50, "Dot": 50, "Eve": -10}
    assert pairs(settle(balances)) == [("Cyd", "Dot", 50), ("Ben", "Ada", 60), ("Eve", "Ada", 10)]


def test_the_first_debtor_and_then_the_first_creditor_of_several_exact_pairs():
    balances = {"Ada": 20, "Ben": -30, "Cyd": 30, "Dot": -20, "Eve": 30, "Fay": -30}
    assert pairs(settle(balances)) == [("Ben", "Cyd", 30), ("Dot", "Ada", 20), ("Fay", "Eve", 30)]


def test_exact_pairs_are_looked_for_again_after_each_transfer():
    balances = {"Ada": 100, "Ben": 40, "Cyd": -70, "Dot": -30, "Eve": -25, "Fay": -15}
    assert pairs(settle(balances)) == [
        ("Cyd", "Ada", 70),
        ("Dot", "Ada", 30),
        ("Eve", "Ben", 25),
        ("Fay", "Ben", 15),
    ]


def test_transfers_bring_everybody_to_zero():
    dice = random.Random(3)
    for _ in range(100):
        amounts = [dice.randint(-10_000, 10_000) for _ in range(dice.randint(1, 8))]
        balances = {f"P{i}": a for i, a in enumerate([*amounts, -sum(amounts)])}
        transfers = settle(balances)
        left = dict(balances)
        for transfer in transfers:
            assert transfer.amount > 0
            left[transfer.payer] += transfer.amount
            left[transfer.receiver] -= transfer.amount
        assert not any(left.values())
        assert len(transfers) < len(balances)


@pytest.mark.parametrize(
    ("balances", "step", "expected"),
    [
        ({"Ada": 7, "Ben": -7}, 5, {"Ada": 5, "Ben": -5}),
        ({"Ada": 8, "Ben": -8}, 5, {"Ada": 10, "Ben": -10}),
        ({"Ada": 2, "Ben": -1, "Cyd": -1}, 5, {"Ada": 0, "Ben": 0, "Cyd": 0}),
        ({"Ada": 5, "Ben": -5, "Cyd": 0}, 10, {"Ada": 10, "Ben": -10, "Cyd": 0}),
        ({"Ada": -5, "Ben": 5}, 10, {"Ada": 0, "Ben": 0}),
        ({"Ada": 1234, "Ben": -617, "Cyd": -617}, 100, {"Ada": 1200, "Ben": -600, "Cyd": -600}),
        (
            {"Ada": 99, "Ben": -33, "Cyd": -33, "Dot": -33},
            50,
            {"Ada": 100, "Ben": 0, "Cyd": -50, "Dot": -50},
        ),
        ({"Ada": 10, "Ben": -10}, 1, {"Ada": 10, "Ben": -10}),
    ],
)
def test_rounded_balances_still_add_up_to_zero(balances, step, expected):
    rounded = round_balances(balances, step)
    assert sum(rounded.values()) == 0
    assert rounded == expected
    assert list(rounded) == list(balances)


def test_balances_are_rounded_before_they_are_settled():
    balances = {"Ada": 1234, "Ben": -620, "Cyd": -614}
    assert pairs(settle(balances, step=5)) == [("Ben", "Ada", 620), ("Cyd", "Ada", 615)]
    assert balances == {"Ada": 1234, "Ben": -620, "Cyd": -614}


@pytest.mark.parametrize(("balances", "step"), [({"Ada": 1}, 1), ({"Ada": 5, "Ben": -4}, 5)])
def test_balances_that_do_not_add_up(balances, step):
    with pytest.raises(SettlementError):
        settle(balances, step)


@pytest.mark.parametrize("step", [0, -5])
def test_a_step_below_one(step):
    with pytest.raises(SettlementError):
        settle({"Ada": 5, "Ben": -5}, step)
    with pytest.raises(SettlementError):
        round_balances({}, step)


def test_a_transfer_is_a_plain_value():
    assert settle({"Ada": 5, "Ben": -5}) == [Transfer("Ben", "Ada", 5)]
