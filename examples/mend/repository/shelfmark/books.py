"""Books and the order in which they are listed."""

from dataclasses import dataclass

from shelfmark.names import plain, same, sort_name

LOAN_DAYS = 14
REFERENCE_DAYS = 3


@dataclass(frozen=True)
class Book:
    """A copy on the shelf; a reference book is lent for a short time only."""

    number: str
    title: str
    author: str
    reference: bool = False

    @property
    def days(self) -> int:
        """How many days it is lent for."""
        return REFERENCE_DAYS if self.reference else LOAN_DAYS

    @property
    def key(self) -> tuple[str, str]:
        """Its place in a list ordered by author and title."""
        return plain(sort_name(self.author)), plain(self.title)

    def line(self) -> str:
        mark = " (reference)" if self.reference else ""
        return f"{sort_name(self.author)}: {self.title}{mark}"


def find(books: list[Book], title: str, author: str = "") -> list[Book]:
    """Books of this title, by this author where one is given, in their order."""
    found = [b for b in books if same(b.title, title)]
    if author:
        found = [b for b in found if same(b.author, author)]
    return sorted(found, key=lambda b: b.key)
