"""A small library and its people."""

from datetime import date

import pytest

from shelfmark import Book, Calendar, Desk, Member

ONE_MAY = date(2026, 5, 1)


@pytest.fixture
def calendar():
    return Calendar({ONE_MAY})


@pytest.fixture
def ivo():
    """A grown-up whose card ends with the year."""
    return Member("M1", "Ivo Lind", born=date(1990, 4, 2), until=date(2026, 12, 31))


@pytest.fixture
def runa():
    """A member for life."""
    return Member("M2", "Runa Holt", born=date(1961, 11, 30))


@pytest.fixture
def kai():
    """A child."""
    return Member("M3", "Kai Lind", born=date(2014, 5, 9), until=date(2026, 12, 31))


@pytest.fixture
def novel():
    return Book("B1", "The Lighthouse Keeper", "Ada Fenn")


@pytest.fixture
def atlas():
    return Book("B2", "Atlas of Tides", "Ruth Moor", reference=True)


@pytest.fixture
def desk(ivo, runa, kai, novel, atlas):
    made = Desk(closed={ONE_MAY})
    for member in (ivo, runa, kai):
        made.enrol(member)
    for book in (novel, atlas, *(Book(f"C{n}", f"Volume {n}", "Sol Ek") for n in range(6))):
        made.add(book)
    return made
