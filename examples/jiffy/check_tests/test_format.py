"""Durations are written short, rounded honestly, and can be read back."""

from datetime import timedelta

import pytest

from jiffy import format_duration, parse, relative

LONG_DAY = timedelta(days=1, hours=2, minutes=5)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (timedelta(minutes=90), "1 hour and 30 minutes"),
        (timedelta(seconds=1), "1 second"),
        (timedelta(weeks=2), "2 weeks"),
        (LONG_DAY, "1 day and 2 hours"),
        (timedelta(hours=1, seconds=5), "1 hour"),
        (timedelta(minutes=-5), "-5 minutes"),
    ],
)
def test_two_parts_by_default(value, expected):
    assert format_duration(value) == expected


def test_styles():
    assert format_duration(LONG_DAY, parts=3) == "1 day, 2 hours and 5 minutes"
    assert format_duration(LONG_DAY, style="short", parts=3) == "1d 2h 5m"
    assert format_duration(LONG_DAY, style="clock") == "26:05:00"
    assert format_duration(timedelta(seconds=-61), style="clock") == "-0:01:01"


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        (timedelta(minutes=59, seconds=59.6), {}, "1 hour"),
        (timedelta(hours=23, minutes=59, seconds=45), {}, "1 day"),
        (timedelta(days=6, hours=23, minutes=59), {"parts": 1}, "1 week"),
        (timedelta(days=1, hours=12), {"parts": 1}, "2 days"),
        (timedelta(days=-1, hours=-12), {"parts": 1}, "-2 days"),
        (timedelta(hours=1, seconds=30), {}, "1 hour and 1 minute"),
        (timedelta(hours=1, minutes=29, seconds=59), {"parts": 1}, "1 hour"),
        (timedelta(seconds=59.5), {}, "1 minute"),
        (timedelta(hours=2, minutes=29, seconds=31), {"smallest": "hour"}, "2 hours"),
        (timedelta(minutes=30), {"smallest": "hour"}, "1 hour"),
        (timedelta(hours=1, milliseconds=999), {"parts": None}, "1 hour and 1 second"),
    ],
)
def test_rounding_is_carried_into_larger_units(value, options, expected):
    assert format_duration(value, **options) == expected


def test_rounding_happens_once():
    almost = timedelta(microseconds=499_500)
    assert format_duration(almost) == "0 seconds"
    assert format_duration(almost, smallest="millisecond") == "500 milliseconds"
    assert format_duration(almost, style="clock") == "0:00:00"
    assert format_duration(timedelta(microseconds=500_000), style="clock") == "0:00:01"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "0 seconds"),
        ({"style": "short"}, "0s"),
        ({"smallest": "minute"}, "0 minutes"),
        ({"smallest": "millisecond", "style": "short"}, "0ms"),
        ({"style": "clock"}, "0:00:00"),
    ],
)
def test_nothing_left_to_write(options, expected):
    assert format_duration(timedelta(0), **options) == expected
    assert format_duration(timedelta(microseconds=-400), **options) == expected


def test_clock_ignores_parts_and_smallest():
    value = timedelta(hours=50, minutes=1, seconds=2)
    assert format_duration(value, style="clock", parts=1, smallest="hour") == "50:01:02"


@pytest.mark.parametrize("options", [{"style": "fancy"}, {"smallest": "month"}, {"parts": 0}])
def test_options_that_do_not_exist(options):
    with pytest.raises(ValueError):
        format_duration(timedelta(1), **options)


@pytest.mark.parametrize("style", ["long", "short"])
@pytest.mark.parametrize(
    "value",
    [
        timedelta(0),
        timedelta(milliseconds=1),
        timedelta(weeks=3, milliseconds=20),
        -timedelta(days=1, hours=2, minutes=3, seconds=4, milliseconds=5),
    ],
)
def test_what_is_written_in_full_is_read_back(style, value):
    text = format_duration(value, style=style, parts=None, smallest="millisecond")
    assert parse(text) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (timedelta(hours=3), "in 3 hours"),
        (timedelta(hours=-3), "3 hours ago"),
        (timedelta(days=-1, hours=-12), "2 days ago"),
        (timedelta(seconds=0.5), "in 1 second"),
        (timedelta(seconds=-0.4), "just now"),
        (timedelta(0), "just now"),
    ],
)
def test_relative(value, expected):
    assert relative(value) == expected
