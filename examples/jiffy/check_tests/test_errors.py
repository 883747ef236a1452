"""What makes no sense is refused, and the error says where."""

import pytest

from jiffy import DurationError, parse


def position(text):
    with pytest.raises(DurationError) as caught:
        parse(text)
    assert caught.value.text == text
    return caught.value.position


def test_the_error_is_a_value_error_that_shows_the_text():
    with pytest.raises(ValueError, match="5 parsecs"):
        parse("5 parsecs")


@pytest.mark.parametrize(
    "text", ["", "   ", "-", "5", "5 ", "1h,", "1h and", "1h, and ", "half", "an"]
)
def test_a_text_that_ends_too_early(text):
    assert position(text) == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 parsecs", 2),
        ("  5 parsecs", 4),
        ("1h 5 parsecs", 5),
        ("soon", 0),
        ("1h soon", 3),
        (", 1h", 0),
        ("and 1h", 0),
        ("1h,, 5m", 3),
        ("1h and and 5m", 7),
        ("1h ; 5m", 3),
        ("--5m", 1),
        ("1,5h", 1),
        (".5h", 0),
        ("5.h", 1),
        ("٣h", 0),
        ("a half hour", 2),
    ],
)
def test_something_that_cannot_be_understood(text, expected):
    assert position(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30m 1h", 4),
        ("1h 1 hour", 3),
        ("1h, and 2 hrs", 8),
        ("5ms2s", 3),
        ("1.5h 10m", 5),
        ("half an hour, 5 minutes", 14),
        ("an hour and a half and 5 minutes", 23),
    ],
)
def test_a_part_that_may_not_stand_there(text, expected):
    assert position(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:75", 2),
        ("-2:05:61", 6),
        ("1:5", 2),
        ("1:005", 2),
        ("1:30:00:00", 7),
        ("1:30h", 4),
        ("1:30.5", 4),
    ],
)
def test_a_clock_that_is_wrong(text, expected):
    assert position(text) == expected


@pytest.mark.parametrize("value", [None, 90, 1.5, b"1h"])
def test_only_text_can_be_read(value):
    with pytest.raises(TypeError):
        parse(value)
