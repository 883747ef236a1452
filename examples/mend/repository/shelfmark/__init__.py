"""The books of a village library."""

from shelfmark.books import Book
from shelfmark.calendar import Calendar
from shelfmark.desk import Desk, Refused
from shelfmark.loans import Loan
from shelfmark.members import Member

__all__ = ["Book", "Calendar", "Desk", "Loan", "Member", "Refused"]
