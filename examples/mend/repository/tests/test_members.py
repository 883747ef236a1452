from datetime import date

import pytest


def test_a_birthday_counts_from_its_day_on(kai):
    assert (kai.age(date(2026, 5, 8)), kai.age(date(2026, 5, 9))) == (11, 12)


@pytest.mark.parametrize(("day", "good"), [(30, True), (31, True)])
def test_a_card_is_good_until_its_last_day(ivo, day, good):
    assert ivo.card_is_good(date(2026, 12, day)) is good


def test_a_card_that_has_ended_is_not_good(ivo):
    assert not ivo.card_is_good(date(2027, 1, 1))


def test_the_card_of_a_member_for_life_is_always_good(runa):
    assert runa.for_life
    assert runa.card_is_good(date(2099, 1, 1))


def test_children_may_have_fewer_books(ivo, kai):
    today = date(2026, 4, 20)
    assert (ivo.most_books(today), kai.most_books(today)) == (5, 3)
    assert kai.most_books(date(2028, 5, 9)) == 5
