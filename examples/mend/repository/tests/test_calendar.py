from datetime import date


def test_it_is_closed_on_sundays_and_on_days_that_are_named(calendar):
    assert calendar.is_open(date(2026, 4, 25))
    assert not calendar.is_open(date(2026, 4, 26))
    assert not calendar.is_open(date(2026, 5, 1))


def test_the_next_open_day_may_be_the_day_itself(calendar):
    assert calendar.next_open(date(2026, 4, 25)) == date(2026, 4, 25)
    assert calendar.next_open(date(2026, 4, 26)) == date(2026, 4, 27)
    assert calendar.next_open(date(2026, 5, 1)) == date(2026, 5, 2)


def test_the_start_counts_and_the_end_does_not(calendar):
    assert calendar.opening_days(date(2026, 4, 27), date(2026, 4, 29)) == 2
    assert calendar.opening_days(date(2026, 4, 27), date(2026, 4, 27)) == 0


def test_days_on_which_it_is_closed_do_not_count(calendar):
    assert calendar.opening_days(date(2026, 4, 30), date(2026, 5, 4)) == 2
