from datetime import date

from shelfmark import fines, loans

MONDAY = date(2026, 4, 20)


def fine(book, member, on, calendar):
    return fines.fine(loans.begin(book, member, MONDAY, calendar), on, calendar)


def test_a_book_in_time_costs_nothing(novel, ivo, calendar):
    assert fine(novel, ivo, date(2026, 5, 4), calendar) == 0


def test_a_day_costs_ten_cents(novel, ivo, calendar):
    assert fine(novel, ivo, date(2026, 5, 7), calendar) == 30


def test_a_day_of_a_reference_book_costs_fifty(atlas, ivo, calendar):
    assert fine(atlas, ivo, date(2026, 4, 25), calendar) == 100


def test_children_pay_half(novel, kai, calendar):
    assert fine(novel, kai, date(2026, 5, 7), calendar) == 15


def test_the_first_day_is_forgiven_for_life(novel, runa, calendar):
    assert fine(novel, runa, date(2026, 5, 5), calendar) == 0
    assert fine(novel, runa, date(2026, 5, 8), calendar) == 30


def test_a_member_for_life_in_time_pays_nothing(novel, runa, calendar):
    assert fine(novel, runa, date(2026, 4, 30), calendar) == 0


def test_no_fine_is_higher_than_eight_euros(novel, atlas, ivo, calendar):
    assert fine(atlas, ivo, date(2026, 12, 1), calendar) == 800
    assert fine(novel, ivo, date(2027, 4, 20), calendar) == 800
