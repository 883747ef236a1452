"""What a late book costs, in cents."""

from datetime import date

from shelfmark.calendar import Calendar
from shelfmark.loans import Loan, days_late

A_DAY = 10
A_REFERENCE_DAY = 50
MOST = 800
FORGIVEN_FOR_LIFE = 1


def fine(loan: Loan, on: date, calendar: Calendar) -> int:
    """The fine for bringing the book back on a day."""
    days = days_late(loan, on, calendar)
    if loan.member.for_life:
        days = max(days + FORGIVEN_FOR_LIFE, 0)
    cents = days * (A_REFERENCE_DAY if loan.book.reference else A_DAY)
    if loan.member.is_child(on):
        cents //= 2
    return min(cents, MOST)
