"""What people type is read as they mean it."""

from datetime import timedelta

import pytest

from jiffy import parse


@pytest.mark.parametrize(
    "text",
    [
        "1h30m",
        "1 h 30 min",
        "1H30M",
        "90 minutes",
        "90min",
        "1.5h",
        "an hour and a half",
        "1 hour and a half",
        "an hour, 30 minutes",
        "1:30",
        "1:30:00",
        "  01:30  ",
        "+ 1h 30m",
        "1 Hour, and 30 Mins",
        "\t1 hr\n30 mins",
    ],
)
def test_many_ways_to_say_ninety_minutes(text):
    assert parse(text) == timedelta(minutes=90)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 weeks, 3 days and 4 hours", timedelta(weeks=2, days=3, hours=4)),
        (
            "1w2d3h4m5s6ms",
            timedelta(weeks=1, days=2, hours=3, minutes=4, seconds=5, milliseconds=6),
        ),
        ("a day", timedelta(days=1)),
        ("half a day", timedelta(hours=12)),
        ("1 day and half an hour", timedelta(days=1, minutes=30)),
        ("2 days and a half", timedelta(hours=60)),
        ("1 day, 2 hours and a half", timedelta(days=1, minutes=150)),
        ("HALF AN HOUR", timedelta(minutes=30)),
        ("250 msecs", timedelta(milliseconds=250)),
        ("3m 5ms", timedelta(minutes=3, milliseconds=5)),
        ("100:00:01.5", timedelta(hours=100, seconds=1, milliseconds=500)),
        ("0:00:00.007", timedelta(milliseconds=7)),
    ],
)
def test_parts_and_clocks(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-5m", timedelta(minutes=-5)),
        ("- 1 hour, 30 minutes", timedelta(minutes=-90)),
        ("-0:00:01.500", timedelta(milliseconds=-1500)),
        ("+2d", timedelta(days=2)),
        ("-an hour and a half", timedelta(minutes=-90)),
    ],
)
def test_a_sign_counts_for_the_whole_duration(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize("text", ["0", " 0 ", "-0", "0s", "0 weeks", "0:00"])
def test_zero(text):
    assert parse(text) == timedelta(0)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("0.0005s", 1),
        ("0.00049s", 0),
        ("-0.0005s", -1),
        ("1.0005s", 1001),
        ("1ms and a half", 2),
        ("2.5ms", 3),
        ("0.1h", 360_000),
        ("1s 0.5ms", 1001),
        ("-1s 0.5ms", -1001),
    ],
)
def test_the_exact_value_is_rounded_once_half_away_from_zero(text, milliseconds):
    assert parse(text) == timedelta(milliseconds=milliseconds)
