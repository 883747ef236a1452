"""The desk: lends, takes back, and knows who owes what."""

from collections.abc import Iterable
from datetime import date

from shelfmark import fines, loans
from shelfmark.books import Book
from shelfmark.calendar import Calendar
from shelfmark.loans import Loan
from shelfmark.members import Member

MOST_DEBT = 1000


class Refused(Exception):
    """What the rules of the library do not allow."""


class Desk:
    """Everything that happens at one library."""

    def __init__(self, closed: Iterable[date] = ()) -> None:
        self.calendar = Calendar(closed)
        self._books: dict[str, Book] = {}
        self._members: dict[str, Member] = {}
        self._loans: dict[str, Loan] = {}
        self._debts: dict[str, int] = {}
        self._waiting: dict[str, list[str]] = {}

    @property
    def books(self) -> list[Book]:
        return list(self._books.values())

    @property
    def loans(self) -> list[Loan]:
        return list(self._loans.values())

    def add(self, book: Book) -> None:
        if book.number in self._books:
            raise Refused(f"there is a book {book.number} already")
        self._books[book.number] = book

    def enrol(self, member: Member) -> None:
        self._members[member.number] = member

    def lend(self, book: str, member: str, on: date) -> Loan:
        who = self._member(member)
        if book in self._loans:
            raise Refused(f"{book} is lent")
        if not who.card_is_good(on):
            raise Refused(f"the card of {who.name} has ended")
        if len(self.of(member)) >= who.most_books(on):
            raise Refused(f"{who.name} has as many books as allowed")
        if self.debt(member) > MOST_DEBT:
            raise Refused(f"{who.name} has a debt of {self.debt(member)} cents")
        line = self._waiting.get(book, [])
        if line and line[0] != member:
            raise Refused(f"somebody waits for {book}")
        self._waiting[book] = line[1:]
        self._loans[book] = loans.begin(self._book(book), who, on, self.calendar)
        return self._loans[book]

    def renew(self, book: str) -> Loan:
        loan = self._loan(book)
        if self._waiting.get(book):
            raise Refused(f"somebody waits for {book}")
        if not loan.may_be_renewed:
            raise Refused(f"{book} was renewed {loan.renewals} times")
        self._loans[book] = loans.renewed(loan, self.calendar)
        return self._loans[book]

    def wait_for(self, book: str, member: str) -> int:
        """Join the line for a book; return the place in it, from 1."""
        line = self._waiting.setdefault(self._book(book).number, [])
        if member not in line:
            line.append(self._member(member).number)
        return line.index(member) + 1

    def take_back(self, book: str, on: date) -> int:
        """End a loan; return its fine in cents, which is added to the member's debt."""
        loan = self._loan(book)
        cents = fines.fine(loan, on, self.calendar)
        del self._loans[book]
        number = loan.member.number
        self._debts[number] = self.debt(number) + cents
        return cents

    def of(self, member: str) -> list[Loan]:
        return [loan for loan in self._loans.values() if loan.member.number == member]

    def debt(self, member: str) -> int:
        return self._debts.get(member, 0)

    def pay(self, member: str, cents: int) -> int:
        """Pay a part of a debt; return what is left."""
        if not 0 < cents <= self.debt(member):
            raise Refused(f"{cents} cents is not a part of the debt")
        self._debts[member] = self.debt(member) - cents
        return self._debts[member]

    def _book(self, number: str) -> Book:
        if number not in self._books:
            raise Refused(f"there is no book {number}")
        return self._books[number]

    def _member(self, number: str) -> Member:
        if number not in self._members:
            raise Refused(f"there is no member {number}")
        return self._members[number]

    def _loan(self, book: str) -> Loan:
        if book not in self._loans:
            raise Refused(f"{book} is not lent")
        return self._loans[book]
