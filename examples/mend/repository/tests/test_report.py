from datetime import date

import pytest

from shelfmark import Book, report

BOOKS = [Book(f"C{n}", f"Volume {n}", "Sol Ek") for n in range(1, 6)]


def test_pages_are_numbered_from_one():
    assert report.listing(BOOKS, 1, size=2) == ["Ek, Sol: Volume 1", "Ek, Sol: Volume 2"]
    assert report.listing(BOOKS, 3, size=2) == ["Ek, Sol: Volume 5"]


@pytest.mark.parametrize("page", [0, 4])
def test_a_page_that_is_not_there_is_refused(page):
    with pytest.raises(ValueError, match="no page"):
        report.listing(BOOKS, page, size=2)


def test_there_is_one_page_at_least():
    assert (report.pages([]), report.pages(BOOKS, 5), report.pages(BOOKS, 4)) == (1, 1, 2)
    assert report.listing([], 1) == []


def test_what_is_late_is_listed_the_latest_first(desk):
    desk.lend("B1", "M1", on=date(2026, 4, 20))
    desk.lend("B2", "M3", on=date(2026, 4, 20))
    desk.lend("C1", "M1", on=date(2026, 4, 29))
    assert report.overdue(desk, date(2026, 5, 5)) == [
        "Atlas of Tides, Kai Lind: 9",
        "The Lighthouse Keeper, Ivo Lind: 1",
    ]
