from datetime import date

import pytest

from shelfmark import loans

MONDAY = date(2026, 4, 20)


def test_a_loan_lasts_fourteen_days(novel, ivo, calendar):
    assert loans.begin(novel, ivo, MONDAY, calendar).due == date(2026, 5, 4)


def test_a_loan_is_due_when_the_library_is_open(novel, atlas, ivo, calendar):
    assert loans.begin(novel, ivo, date(2026, 4, 17), calendar).due == date(2026, 5, 2)
    assert loans.begin(atlas, ivo, date(2026, 4, 23), calendar).due == date(2026, 4, 27)


def test_a_renewal_counts_from_the_due_day(novel, ivo, calendar):
    loan = loans.renewed(loans.begin(novel, ivo, MONDAY, calendar), calendar)
    assert (loan.due, loan.renewals) == (date(2026, 5, 18), 1)


def test_two_renewals_are_the_most(novel, ivo, calendar):
    loan = loans.begin(novel, ivo, MONDAY, calendar)
    for _ in range(2):
        assert loan.may_be_renewed
        loan = loans.renewed(loan, calendar)
    assert not loan.may_be_renewed


@pytest.mark.parametrize("day", [date(2026, 4, 30), date(2026, 5, 4)])
def test_nobody_is_late_before_or_on_the_due_day(novel, ivo, calendar, day):
    assert loans.days_late(loans.begin(novel, ivo, MONDAY, calendar), day, calendar) == 0


@pytest.mark.parametrize(
    ("day", "late"),
    [(date(2026, 5, 5), 1), (date(2026, 5, 8), 4), (date(2026, 5, 11), 6)],
)
def test_the_day_on_which_a_book_comes_back_is_late(novel, ivo, calendar, day, late):
    assert loans.days_late(loans.begin(novel, ivo, MONDAY, calendar), day, calendar) == late
