"""Members and their cards."""

from dataclasses import dataclass
from datetime import date

ADULT_BOOKS = 5
CHILD_BOOKS = 3
GROWN_UP = 14


@dataclass(frozen=True)
class Member:
    """Who may borrow. `until` is the last day of the card, None for members for life."""

    number: str
    name: str
    born: date
    until: date | None = None

    @property
    def for_life(self) -> bool:
        return self.until is None

    def age(self, on: date) -> int:
        """Full years on a day."""
        before_birthday = (on.month, on.day) < (self.born.month, self.born.day)
        return on.year - self.born.year - before_birthday

    def is_child(self, on: date) -> bool:
        return self.age(on) < GROWN_UP

    def card_is_good(self, on: date) -> bool:
        """Whether the card still holds on a day; it does on its last one."""
        return on <= self.until

    def most_books(self, on: date) -> int:
        return CHILD_BOOKS if self.is_child(on) else ADULT_BOOKS
