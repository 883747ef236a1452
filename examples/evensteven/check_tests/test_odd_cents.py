"""The odd cent goes round, in whatever order receipts are typed in."""

import random
from datetime import date

import pytest

from evensteven import EqualSplit, Ledger, SharesSplit


@pytest.fixture
def ledger():
    ledger = Ledger("Lake house")
    for name in ("Ada", "Ben", "Cyd"):
        ledger.add_member(name)
    return ledger


def day(number):
    return date(2026, 7, number)


def odd(ledger, expense):
    """Who bears more than the least share of an equal split, by absolute value."""
    shares = {name: abs(share) for name, share in ledger.shares(expense.id).items()}
    return [name for name, share in shares.items() if share > min(shares.values())]


def test_the_odd_cent_goes_round(ledger):
    coffees = [ledger.add_expense(day(n), "Coffee", 100, "Ada") for n in (1, 2, 3, 4)]
    assert [odd(ledger, coffee) for coffee in coffees] == [["Ada"], ["Ben"], ["Cyd"], ["Ada"]]


def test_two_odd_cents_go_to_the_two_who_carried_least(ledger):
    cakes = [ledger.add_expense(day(n), "Cake", 200, "Ada") for n in (1, 2, 3)]
    assert [odd(ledger, cake) for cake in cakes] == [["Ada", "Ben"], ["Ada", "Cyd"], ["Ben", "Cyd"]]


def test_only_those_who_share_are_compared(ledger):
    ledger.add_expense(day(1), "Coffee", 100, "Ada")
    tea = ledger.add_expense(day(2), "Tea", 101, "Cyd", EqualSplit(["Cyd", "Ada"]))
    beer = ledger.add_expense(day(3), "Beer", 101, "Cyd", EqualSplit(["Ada", "Cyd"]))
    assert odd(ledger, tea) == ["Cyd"]
    assert odd(ledger, beer) == ["Ada"]


def test_a_cent_for_a_larger_remainder_counts_as_carried_too(ledger):
    ledger.add_expense(day(1), "Wine", 100, "Ben", SharesSplit({"Ada": 2, "Ben": 1}))
    coffee = ledger.add_expense(day(2), "Coffee", 100, "Ada")
    assert ledger.shares(1) == {"Ada": 67, "Ben": 33}
    assert odd(ledger, coffee) == ["Ben"]


def test_a_late_receipt_takes_its_place_in_time(ledger):
    second = ledger.add_expense(day(2), "Coffee", 100, "Ada")
    third = ledger.add_expense(day(3), "Coffee", 100, "Ada")
    assert (odd(ledger, second), odd(ledger, third)) == (["Ada"], ["Ben"])
    first = ledger.add_expense(day(1), "Coffee", 100, "Ada")
    assert [odd(ledger, e) for e in (first, second, third)] == [["Ada"], ["Ben"], ["Cyd"]]


def test_removing_an_expense_gives_its_turn_to_the_next(ledger):
    first = ledger.add_expense(day(1), "Coffee", 100, "Ada")
    second = ledger.add_expense(day(1), "Coffee", 100, "Ada")
    assert odd(ledger, second) == ["Ben"]
    ledger.remove(first.id)
    assert odd(ledger, second) == ["Ada"]


def test_a_payment_is_nobodys_turn(ledger):
    ledger.add_payment(day(1), "Ada", "Ben", 101)
    assert odd(ledger, ledger.add_expense(day(2), "Coffee", 100, "Ada")) == ["Ada"]


def test_a_refund_gives_its_odd_cent_to_whoever_has_carried_most(ledger):
    ledger.add_expense(day(1), "Tea", 101, "Ada", EqualSplit(["Ben", "Cyd"]))
    refund = ledger.add_expense(day(2), "Refund", -100, "Ada")
    after = ledger.add_expense(day(3), "Refund", -100, "Ada")
    assert ledger.shares(refund.id) == {"Ada": -33, "Ben": -34, "Cyd": -33}
    assert odd(ledger, after) == ["Ada"]


def test_who_gained_a_cent_is_the_first_to_carry_one(ledger):
    ledger.add_expense(day(1), "Refund", -200, "Ada")
    coffees = [ledger.add_expense(day(n), "Coffee", 100, "Ada") for n in (2, 3, 4)]
    assert [odd(ledger, coffee) for coffee in coffees] == [["Ada"], ["Ben"], ["Ada"]]


def test_the_order_of_typing_does_not_matter():
    entries = [
        (day(n), f"Entry {n}", amount) for n, amount in enumerate((100, 200, -50, 7, 1001, -1), 1)
    ]
    results = []
    for seed in range(12):
        random.Random(seed).shuffle(entries)
        ledger = Ledger("Lake house")
        for name in ("Ada", "Ben", "Cyd"):
            ledger.add_member(name)
        ids = {
            title: ledger.add_expense(when, title, amount, "Ben").id
            for when, title, amount in entries
        }
        results.append([ledger.shares(ids[title]) for title in sorted(ids)])
        assert sum(ledger.balances().values()) == 0
    assert all(result == results[0] for result in results)
    assert [sum(shares.values()) for shares in results[0]] == [100, 200, -50, 7, 1001, -1]


def test_over_time_nobody_carries_more_than_one_cent_more(ledger):
    for n in range(1, 29):
        ledger.add_expense(day(n), "Coffee", 100 if n % 2 else 200, "Ada")
        totals = [sum(c.shares[name] for c in ledger.changes()) for name in ledger.members]
        assert max(totals) - min(totals) <= 1
