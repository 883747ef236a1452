"""Lists on paper."""

from collections.abc import Sequence
from datetime import date

from shelfmark.books import Book
from shelfmark.desk import Desk
from shelfmark.loans import days_late

PAGE = 20


def pages(books: Sequence[Book], size: int = PAGE) -> int:
    """How many pages a listing has, at least one."""
    return max(1, -(-len(books) // size))


def listing(books: Sequence[Book], page: int, size: int = PAGE) -> list[str]:
    """The lines of one page, ordered by author and title; pages are numbered from 1."""
    if not 1 <= page <= pages(books, size):
        raise ValueError(f"there is no page {page}")
    ordered = sorted(books, key=lambda book: book.key)
    start = (page - 1) * size
    return [book.line() for book in ordered[start : start + size]]


def overdue(desk: Desk, on: date) -> list[str]:
    """A line for each late loan, the latest first."""
    late = [(days_late(loan, on, desk.calendar), loan) for loan in desk.loans]
    late = [(days, loan) for days, loan in late if days > 0]
    late.sort(key=lambda pair: (-pair[0], pair[1].book.key))
    return [f"{loan.book.title}, {loan.member.name}: {days}" for days, loan in late]
