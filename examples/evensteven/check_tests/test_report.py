"""The report can be pasted into the group chat, to the letter."""

from datetime import date

import pytest

from evensteven import (
    JPY,
    EqualSplit,
    Ledger,
    MemberError,
    SettlementError,
    SharesSplit,
    render_report,
    render_statement,
)

REPORT = """\
Lake house (EUR)
================

Entries
  4  2026-07-02  Ben pays Ada                 €20.00
  1  2026-07-03  Groceries and a very lo…     €84.20  Ada  Ada, Ben, Cyd Jones
  2  2026-07-04  Boat                      €1,100.00  Ben  Ada, Cyd Jones
  3  2026-07-04  Boat deposit back           -€20.00  Ben  Ada, Ben, Cyd Jones

Balances
  Ben        +€1,078.60
  Cyd Jones    -€388.07
  Ada          -€690.53

Settle up
  Ada pays Ben €690.53
  Cyd Jones pays Ben €388.07
"""

STATEMENT = """\
Lake house: Ada
===============

  2026-07-02  Ben pays Ada               -€20.00   -€20.00
  2026-07-03  Groceries and a very lo…   +€56.13   +€36.13
  2026-07-04  Boat                      -€733.33  -€697.20
  2026-07-04  Boat deposit back           +€6.67  -€690.53
"""

DAY = date(2026, 7, 3)


@pytest.fixture
def ledger():
    ledger = Ledger("Lake house")
    for name in ("Ada", "Ben", "Cyd Jones"):
        ledger.add_member(name)
    return ledger


@pytest.fixture
def lake_house(ledger):
    ledger.add_expense(DAY, "Groceries and a very long list", "84.20", "Ada")
    ledger.add_expense(
        date(2026, 7, 4), "Boat", "1,100", "Ben", SharesSplit({"Ada": 2, "Cyd Jones": 1})
    )
    ledger.add_expense(date(2026, 7, 4), "Boat deposit back", "-20", "Ben")
    ledger.add_payment(date(2026, 7, 2), "Ben", "Ada", "20")
    return ledger


def part(text, title):
    lines = text.splitlines()
    start = lines.index(title) + 1
    end = next((i for i, line in enumerate(lines[start:], start) if not line), len(lines))
    return lines[start:end]


def test_the_report_of_the_lake_house(lake_house):
    assert render_report(lake_house) == REPORT


def test_the_statement_of_ada(lake_house):
    assert render_statement(lake_house, "ADA") == STATEMENT


def test_settling_in_steps(lake_house):
    assert part(render_report(lake_house, step=5), "Settle up") == [
        "  Ada pays Ben €690.55",
        "  Cyd Jones pays Ben €388.05",
    ]
    with pytest.raises(SettlementError):
        render_report(lake_house, step=0)


def test_nothing_to_list():
    report = render_report(Ledger("Ledger of nobody"))
    assert report == (
        "Ledger of nobody (EUR)\n======================\n\n"
        "Entries\n  No entries yet.\n\n"
        "Balances\n  No members yet.\n\n"
        "Settle up\n  Nothing to settle.\n"
    )


def test_members_without_entries(ledger):
    report = render_report(ledger)
    assert part(report, "Balances") == [
        "  Ada        €0.00",
        "  Ben        €0.00",
        "  Cyd Jones  €0.00",
    ]
    assert (
        render_statement(ledger, "Ben") == "Lake house: Ben\n===============\n\n  No entries yet.\n"
    )


def test_payments_alone_leave_no_blanks_at_the_end(ledger):
    ledger.add_payment(DAY, "Ada", "Ben", 500)
    report = render_report(ledger)
    assert part(report, "Entries") == ["  1  2026-07-03  Ada pays Ben  €5.00"]
    assert all(line == line.rstrip() for line in report.split("\n"))


def test_columns_are_as_wide_as_their_widest_cell(ledger):
    for n in range(1, 11):
        ledger.add_expense(
            DAY,
            "Tea" if n < 10 else "Champagne",
            300 * n**3,
            {"Ben": 150 * n**3, "Ada": 150 * n**3},
        )
    entries = part(render_report(ledger), "Entries")
    assert entries[0] == "   1  2026-07-03  Tea            €3.00  Ada, Ben  Ada, Ben, Cyd Jones"
    assert entries[9] == "  10  2026-07-03  Champagne  €3,000.00  Ada, Ben  Ada, Ben, Cyd Jones"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("x" * 24, "x" * 24),
        ("x" * 25, "x" * 23 + "…"),
        ("Twenty-two characters, and more", "Twenty-two characters,…"),
    ],
)
def test_long_titles_are_cut(ledger, title, shown):
    ledger.add_expense(DAY, title, 300, "Ada", EqualSplit(["Ada"]))
    assert part(render_report(ledger), "Entries") == [f"  1  2026-07-03  {shown}  €3.00  Ada  Ada"]


def test_the_title_of_a_payment_is_cut_like_any_other(ledger):
    ledger.add_member("Bartholomew the Younger")
    ledger.add_payment(DAY, "Ada", "Bartholomew the Younger", 300)
    row = "  2026-07-03  Ada pays Bartholomew th…  -€3.00  -€3.00"
    assert render_statement(ledger, "Bartholomew the Younger").splitlines()[3:] == [row]


def test_equal_balances_stay_in_joining_order(ledger):
    ledger.add_expense(DAY, "Tea", 300, "Ben")
    assert part(render_report(ledger), "Balances") == [
        "  Ben        +€2.00",
        "  Ada        -€1.00",
        "  Cyd Jones  -€1.00",
    ]
    assert part(render_report(ledger), "Settle up") == [
        "  Ada pays Ben €1.00",
        "  Cyd Jones pays Ben €1.00",
    ]


def test_transfers_follow_joining_order_not_the_order_of_the_list(ledger):
    ledger.add_payment(DAY, "Cyd Jones", "Ada", 500)
    ledger.add_member("Dot")
    ledger.add_payment(DAY, "Dot", "Ben", 500)
    assert part(render_report(ledger), "Settle up") == [
        "  Ada pays Cyd Jones €5.00",
        "  Ben pays Dot €5.00",
    ]


def test_a_statement_names_what_came_to_nothing(ledger):
    ledger.add_expense(DAY, "Just for me", 300, "Ben", EqualSplit(["Ben"]))
    ledger.add_expense(DAY, "Not for me", 300, "Ada", EqualSplit(["Ada", "Cyd Jones"]))
    ledger.add_expense(DAY, "Nothing for me", 300, "Ada", SharesSplit({"Ada": 1, "Ben": 0}))
    assert render_statement(ledger, "ben").splitlines()[3:] == [
        "  2026-07-03  Just for me     €0.00  €0.00",
        "  2026-07-03  Nothing for me  €0.00  €0.00",
    ]


def test_a_statement_for_somebody_who_is_not_a_member(ledger):
    with pytest.raises(MemberError):
        render_statement(ledger, "Dot")


def test_a_currency_without_decimals():
    ledger = Ledger("Kyoto", JPY)
    ledger.add_member("Ada")
    ledger.add_member("Ben")
    ledger.add_expense(DAY, "Tea", 1251, "Ada")
    report = render_report(ledger)
    assert report.startswith("Kyoto (JPY)\n===========\n")
    assert part(report, "Balances") == ["  Ada  +¥625", "  Ben  -¥625"]
