"""Entries are checked when they are added, and balances always add up."""

from datetime import date

import pytest

from evensteven import (
    JPY,
    AmountError,
    EntryError,
    EqualSplit,
    ExactSplit,
    Ledger,
    MemberError,
    SplitError,
)

MONDAY = date(2026, 7, 6)
TUESDAY = date(2026, 7, 7)


@pytest.fixture
def ledger():
    ledger = Ledger("Lake house")
    for name in ("Ada", "Ben", "Cyd"):
        ledger.add_member(name)
    return ledger


def test_an_expense_is_shared_by_all_unless_told_otherwise(ledger):
    expense = ledger.add_expense(MONDAY, "  Fish  and\tchips ", "30.00", "ben")
    assert (expense.id, expense.day, expense.title) == (1, MONDAY, "Fish and chips")
    assert (expense.amount, expense.paid) == (3000, {"Ben": 3000})
    assert ledger.shares(1) == {"Ada": 1000, "Ben": 1000, "Cyd": 1000}
    assert ledger.balances() == {"Ada": -1000, "Ben": 2000, "Cyd": -1000}


def test_who_joins_later_does_not_share_what_was_before(ledger):
    ledger.add_expense(TUESDAY, "Boat", 3000, "Ada")
    ledger.add_member("Dot")
    ledger.add_expense(MONDAY, "Fuel", 400, "Ada")
    assert ledger.shares(1) == {"Ada": 1000, "Ben": 1000, "Cyd": 1000}
    assert ledger.shares(2) == {"Ada": 100, "Ben": 100, "Cyd": 100, "Dot": 100}


def test_several_may_pay(ledger):
    paid = {"CYD": "10", " ada ": 500}
    expense = ledger.add_expense(MONDAY, "Dinner", 1500, paid, EqualSplit(["cyd"]))
    assert list(expense.paid.items()) == [("Ada", 500), ("Cyd", 1000)]
    assert ledger.balances() == {"Ada": 500, "Ben": 0, "Cyd": -500}


def test_a_refund_gives_money_back(ledger):
    ledger.add_expense(MONDAY, "Deposit returned", "-90", "Ben")
    assert ledger.shares(1) == {"Ada": -3000, "Ben": -3000, "Cyd": -3000}
    assert ledger.balances() == {"Ada": 3000, "Ben": -6000, "Cyd": 3000}


def test_a_payment_moves_two_balances(ledger):
    payment = ledger.add_payment(MONDAY, "ada", "BEN", "12.34")
    assert (payment.payer, payment.receiver, payment.amount) == ("Ada", "Ben", 1234)
    assert payment.title == "Ada pays Ben"
    assert ledger.balances() == {"Ada": 1234, "Ben": -1234, "Cyd": 0}


def test_entries_are_ordered_by_day_then_number(ledger):
    ledger.add_expense(TUESDAY, "Boat", 300, "Ada")
    ledger.add_payment(MONDAY, "Ada", "Ben", 5)
    ledger.add_expense(MONDAY, "Fuel", 300, "Ada")
    assert [entry.id for entry in ledger.entries] == [2, 3, 1]
    assert [change.entry.id for change in ledger.changes()] == [2, 3, 1]


def test_numbers_are_never_used_again(ledger):
    ledger.add_expense(MONDAY, "Boat", 300, "Ada")
    second = ledger.add_expense(MONDAY, "Fuel", 300, "Ada")
    assert ledger.remove(2) == second
    assert ledger.add_payment(MONDAY, "Ada", "Ben", 5).id == 3
    assert [entry.id for entry in ledger.entries] == [1, 3]


def test_numbers_that_no_entry_has(ledger):
    ledger.add_payment(MONDAY, "Ada", "Ben", 5)
    with pytest.raises(EntryError):
        ledger.remove(2)
    with pytest.raises(EntryError):
        ledger.shares(2)
    with pytest.raises(EntryError):
        ledger.shares(1)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("", 300, "Ada"), EntryError),
        (("  ", 300, "Ada"), EntryError),
        (("Boat", 0, "Ada"), EntryError),
        (("Boat", "0.00", "Ada"), EntryError),
        (("Boat", "3,00", "Ada"), AmountError),
        (("Boat", 3.0, "Ada"), TypeError),
        (("Boat", True, "Ada"), TypeError),
        (("Boat", 300, "Bea"), MemberError),
        (("Boat", 300, {}), EntryError),
        (("Boat", 300, {"Ada": 200}), EntryError),
        (("Boat", 300, {"Ada": 400, "Ben": -100}), EntryError),
        (("Boat", 300, {"Ada": 300, "Ben": 0}), EntryError),
        (("Boat", 300, {"Ada": 100, "ADA": 200}), EntryError),
        (("Boat", 300, {"Ada": 300.0}), TypeError),
        (("Boat", 300, "Ada", EqualSplit(["Ada", "Bea"])), MemberError),
        (("Boat", 300, "Ada", EqualSplit(["Ada", "ada "])), SplitError),
        (("Boat", 300, "Ada", ExactSplit({"Ada": 299})), SplitError),
    ],
)
def test_a_wrong_expense_leaves_no_trace(ledger, arguments, error):
    with pytest.raises(error):
        ledger.add_expense(MONDAY, *arguments)
    assert ledger.entries == ()
    assert ledger.balances() == {"Ada": 0, "Ben": 0, "Cyd": 0}
    assert ledger.add_expense(MONDAY, "Boat", 300, "Ada").id == 1


@pytest.mark.parametrize(
    ("payer", "receiver", "amount", "error"),
    [
        ("Ada", "ada", 5, EntryError),
        ("Ada", "Ben", 0, EntryError),
        ("Ada", "Ben", "-5", EntryError),
        ("Ada", "Bea", 5, MemberError),
        ("Ada", "Ben", "5.-", AmountError),
        ("Ada", "Ben", 5.0, TypeError),
    ],
)
def test_a_wrong_payment_leaves_no_trace(ledger, payer, receiver, amount, error):
    with pytest.raises(error):
        ledger.add_payment(MONDAY, payer, receiver, amount)
    assert ledger.entries == ()
    assert ledger.add_payment(MONDAY, "Ada", "Ben", 5).id == 1


def test_amounts_are_read_in_the_currency_of_the_ledger():
    ledger = Ledger("Kyoto", JPY)
    ledger.add_member("Ada")
    assert ledger.add_expense(MONDAY, "Tea", "¥1,250", "Ada").amount == 1250


def test_what_comes_out_cannot_change_the_ledger(ledger):
    ledger.add_expense(MONDAY, "Boat", 300, "Ada")
    ledger.balances()["Ada"] = 10**6
    ledger.shares(1)["Ada"] = 10**6
    change = ledger.changes()[0]
    change.paid["Ada"] = change.shares["Ada"] = 10**6
    assert ledger.balances() == {"Ada": 200, "Ben": -100, "Cyd": -100}
