from datetime import date

import pytest

from shelfmark import Book, Refused

MONDAY = date(2026, 4, 20)


def test_a_book_can_be_lent_once(desk):
    desk.lend("B1", "M1", on=MONDAY)
    with pytest.raises(Refused, match="B1 is lent"):
        desk.lend("B1", "M3", on=MONDAY)


def test_a_book_that_is_unknown_cannot_be_lent(desk):
    with pytest.raises(Refused, match="no book B77"):
        desk.lend("B77", "M1", on=MONDAY)


def test_a_number_is_given_once(desk):
    with pytest.raises(Refused, match="already"):
        desk.add(Book("B1", "Another", "Bo Ahl"))


def test_nobody_borrows_with_a_card_that_has_ended(desk):
    with pytest.raises(Refused, match="has ended"):
        desk.lend("B1", "M1", on=date(2027, 1, 2))


def test_a_member_for_life_borrows(desk):
    assert desk.lend("B1", "M2", on=MONDAY).due == date(2026, 5, 4)


def test_a_child_has_three_books_at_most(desk):
    for number in range(3):
        desk.lend(f"C{number}", "M3", on=MONDAY)
    with pytest.raises(Refused, match="as many books as allowed"):
        desk.lend("C3", "M3", on=MONDAY)


def test_who_waits_comes_first(desk):
    desk.lend("B1", "M1", on=MONDAY)
    assert desk.wait_for("B1", "M3") == 1
    assert desk.wait_for("B1", "M2") == 2
    assert desk.wait_for("B1", "M3") == 1
    with pytest.raises(Refused, match="somebody waits"):
        desk.renew("B1")
    desk.take_back("B1", on=MONDAY)
    with pytest.raises(Refused, match="somebody waits"):
        desk.lend("B1", "M1", on=MONDAY)
    assert desk.lend("B1", "M3", on=MONDAY).member.number == "M3"


def test_a_fine_is_paid_in_parts(desk):
    desk.lend("B1", "M1", on=MONDAY)
    assert desk.take_back("B1", on=date(2026, 5, 8)) == 40
    assert desk.pay("M1", 15) == 25
    with pytest.raises(Refused, match="not a part"):
        desk.pay("M1", 26)


def test_a_member_for_life_is_forgiven_a_day(desk):
    desk.lend("B1", "M2", on=MONDAY)
    assert desk.take_back("B1", on=date(2026, 5, 8)) == 30


def test_nobody_borrows_with_a_high_debt(desk):
    for book in ("B2", "C1"):
        desk.lend(book, "M1", on=MONDAY)
        desk.take_back(book, on=date(2026, 12, 20))
    assert desk.debt("M1") == 1600
    with pytest.raises(Refused, match="a debt of 1600 cents"):
        desk.lend("B1", "M1", on=date(2026, 12, 20))
