"""Each way to share does what it says and refuses what does not work out."""

from datetime import date
from decimal import Decimal

import pytest

from evensteven import EqualSplit, ExactSplit, Ledger, PercentSplit, SharesSplit, SplitError

DAY = date(2026, 7, 6)


def shares(amount, split):
    ledger = Ledger("Lake house")
    for name in ("Ada", "Ben", "Cyd"):
        ledger.add_member(name)
    expense = ledger.add_expense(DAY, "Something", amount, "Ada", split)
    return list(ledger.shares(expense.id).items())


@pytest.mark.parametrize(
    ("amount", "split", "expected"),
    [
        (101, EqualSplit(["Cyd", "ben"]), [("Ben", 51), ("Cyd", 50)]),
        (100, SharesSplit({"Cyd": 2, "Ada": 1}), [("Ada", 33), ("Cyd", 67)]),
        (100, SharesSplit({"Ben": 1, "Ada": 0}), [("Ada", 0), ("Ben", 100)]),
        (800, PercentSplit({"Ada": "62.5", "Ben": "37.5"}), [("Ada", 500), ("Ben", 300)]),
        (
            1000,
            PercentSplit({"Ada": Decimal("33.33"), "Ben": "33.33", "Cyd": "33.34"}),
            [("Ada", 333), ("Ben", 333), ("Cyd", 334)],
        ),
        (500, PercentSplit({"Ada": 100, "Ben": 0}), [("Ada", 500), ("Ben", 0)]),
        (300, ExactSplit({"Cyd": 100, "Ben": 200}), [("Ben", 200), ("Cyd", 100)]),
        (
            2001,
            ExactSplit({"Cyd": 1000}, rest=["Ben", "Ada"]),
            [("Ada", 501), ("Ben", 500), ("Cyd", 1000)],
        ),
        (1000, ExactSplit({"cyd": 400}, ["Ada", "CYD"]), [("Ada", 300), ("Cyd", 700)]),
        (1000, ExactSplit({"Cyd": 1000}, ["Ada"]), [("Ada", 0), ("Cyd", 1000)]),
        (1001, ExactSplit({}, ["Ada", "Ben"]), [("Ada", 501), ("Ben", 500)]),
        (-1001, ExactSplit({"Cyd": -500}, ["Ben"]), [("Ben", -501), ("Cyd", -500)]),
    ],
)
def test_shares_in_joining_order(amount, split, expected):
    assert shares(amount, split) == expected


@pytest.mark.parametrize(
    ("amount", "split"),
    [
        (300, ExactSplit({"Ada": 100, "Ben": 201})),
        (300, ExactSplit({"Ada": 301}, ["Ben"])),
        (-300, ExactSplit({"Ada": -301}, ["Ben"])),
        (300, ExactSplit({"Ada": 300, "ADA": 0})),
        (300, ExactSplit({"Cyd": 300}, ["Ada", " ada"])),
        (300, SharesSplit({"Ada": 1, "aDa": 1})),
        (300, PercentSplit({"Ada": 50, "ada": 50})),
    ],
)
def test_what_does_not_work_out_for_an_expense(amount, split):
    with pytest.raises(SplitError):
        shares(amount, split)


@pytest.mark.parametrize(
    ("kind", "argument"),
    [
        (EqualSplit, []),
        (EqualSplit, ["Ada", "Ada"]),
        (SharesSplit, {}),
        (SharesSplit, {"Ada": 0}),
        (SharesSplit, {"Ada": 2, "Ben": -1}),
        (PercentSplit, {}),
        (PercentSplit, {"Ada": 99}),
        (PercentSplit, {"Ada": "50.00", "Ben": "49.99"}),
        (PercentSplit, {"Ada": "33.335", "Ben": "66.665"}),
        (PercentSplit, {"Ada": 110, "Ben": -10}),
        (PercentSplit, {"Ada": "half", "Ben": 50}),
        (PercentSplit, {"Ada": "NaN", "Ben": 50}),
        (ExactSplit, {}),
    ],
)
def test_what_cannot_work_out_for_any_expense(kind, argument):
    with pytest.raises(SplitError):
        kind(argument)


@pytest.mark.parametrize(
    ("kind", "argument"),
    [
        (SharesSplit, {"Ada": 1.0}),
        (SharesSplit, {"Ada": True}),
        (PercentSplit, {"Ada": 100.0}),
        (ExactSplit, {"Ada": 3.0}),
    ],
)
def test_floats_and_bools_are_not_numbers_here(kind, argument):
    with pytest.raises(TypeError):
        kind(argument)


def test_a_split_alone_divides_for_people_it_knows_by_name():
    division = EqualSplit(["Zoe", "Ben", "Ada"]).divide(100, {"Ada": 1, "Ben": 0})
    assert division.shares == {"Ada": 33, "Ben": 34, "Zoe": 33}
    assert list(division.shares) == ["Ada", "Ben", "Zoe"]
    assert division.odd == ("Ben",)


def test_names_and_renaming():
    split = ExactSplit({"cyd": 5}, ["ada", "cyd"])
    assert split.names == ("cyd", "ada")
    assert split.rename(str.title).names == ("Cyd", "Ada")
    assert split.names == ("cyd", "ada")
