"""One loan: when it is due, and how late it is."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from shelfmark.books import Book
from shelfmark.calendar import Calendar
from shelfmark.members import Member

MOST_RENEWALS = 2


@dataclass(frozen=True)
class Loan:
    book: Book
    member: Member
    since: date
    due: date
    renewals: int = 0

    @property
    def may_be_renewed(self) -> bool:
        return self.renewals < MOST_RENEWALS


def begin(book: Book, member: Member, on: date, calendar: Calendar) -> Loan:
    """A loan that begins on a day."""
    due = calendar.next_open(on + timedelta(days=book.days))
    return Loan(book=book, member=member, since=on, due=due)


def renewed(loan: Loan, calendar: Calendar) -> Loan:
    """The loan for the same time again, from the day on which it was due."""
    due = calendar.next_open(loan.due + timedelta(days=loan.book.days))
    return replace(loan, due=due, renewals=loan.renewals + 1)


def days_late(loan: Loan, on: date, calendar: Calendar) -> int:
    """Opening days after the due day, up to and with the day on which the book comes back."""
    if on <= loan.due:
        return 0
    return calendar.opening_days(loan.due + timedelta(days=1), on)
