"""What is typed is kept to the letter, and understood."""

from decimal import Decimal

import pytest

from gridlet import AddressError, Spreadsheet


def typed(text):
    sheet = Spreadsheet()
    sheet.set("A1", text)
    assert sheet.text("a1") == text
    return sheet.get("A1")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", "12"),
        ("-3.5", "-3.5"),
        ("+7", "7"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("2.5E-2", "0.025"),
        ("12%", "0.12"),
        ("-50%", "-0.5"),
        ("  8 ", "8"),
        ("007", "7"),
        ("0.1234567890123456789", "0.1234567890123456789"),
    ],
)
def test_numbers(text, number):
    value = typed(text)
    assert type(value) is Decimal
    assert value == Decimal(number)


@pytest.mark.parametrize(
    "text",
    ["Apples", " padded ", "1,5", "1 000", "1.2.3", "--1", "12 %", "5%%", ".", "e3", "NaN", "inf"]
    + ["1_000", "٣", "1e100", "9e999", "1e1000", "=", "true story", " =1"],
)
def test_text_stays_as_typed(text):
    assert typed(text) == text
    assert type(typed(text)) is str


@pytest.mark.parametrize(("text", "value"), [("TRUE", True), ("false", False), (" True ", True)])
def test_booleans(text, value):
    assert typed(text) is value


@pytest.mark.parametrize(
    ("text", "value"), [("'12", "12"), ("'=A1", "=A1"), ("'TRUE", "TRUE"), ("''", "'"), ("'", "")]
)
def test_an_apostrophe_makes_text(text, value):
    assert typed(text) == value


def test_empty_cells():
    sheet = Spreadsheet()
    assert (sheet.get("A1"), sheet.text("A1"), sheet.show("A1")) == (None, "", "")
    sheet.set("A1", "x")
    sheet.clear("A1")
    assert (sheet.get("A1"), sheet.text("A1")) == (None, "")
    assert sheet.cells() == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("4.50", "4.5"),
        ("1e20", "100000000000000000000"),
        ("-0", "0"),
        ("-0.00000000001", "0"),
        ("0.00000000005", "0.0000000001"),
        ("-2.00000000005", "-2.0000000001"),
        ("=1/3", "0.3333333333"),
        ("=2/3", "0.6666666667"),
        ("1000", "1000"),
        ("true", "TRUE"),
        ("'  x", "  x"),
        ("=1/0", "#DIV/0!"),
    ],
)
def test_showing(text, shown):
    sheet = Spreadsheet()
    sheet.set("A1", text)
    assert sheet.show("A1") == shown


def test_cells_outside_the_grid():
    sheet = Spreadsheet()
    for call in (sheet.get, sheet.text, sheet.show, sheet.clear):
        with pytest.raises(AddressError):
            call("A0")
    with pytest.raises(AddressError):
        sheet.set("AAA1", "x")
