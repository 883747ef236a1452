"""Amounts are read as people type them, and written the same way every time."""

import pytest

from evensteven import EUR, JPY, USD, AmountError, Currency, LedgerError


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("12.50", 1250),
        ("12.5", 1250),
        ("12", 1200),
        ("0.05", 5),
        ("1,234.50", 123450),
        ("1,234,567", 123456700),
        ("1234567", 123456700),
        ("€12", 1200),
        ("-€3.10", -310),
        (" +7 ", 700),
        ("-0", 0),
        ("007", 700),
    ],
)
def test_amounts_as_people_type_them(text, cents):
    assert EUR.parse(text) == cents


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "€",
        "-",
        "five",
        "12.345",
        "12.",
        ".50",
        "1,23",
        "1234,567",
        "12,34,567",
        "1,234567",
        ",123",
        "1 000",
        "- 5",
        "€ 5",
        "€-5",
        "--5",
        "5€",
        "$5",
        "1.2.3",
        "1_000",
        "٣.٥٠",
        "²",
    ],
)
def test_what_is_not_an_amount(text):
    with pytest.raises(AmountError):
        EUR.parse(text)


def test_every_error_is_a_ledger_error_and_a_value_error():
    with pytest.raises(LedgerError):
        EUR.parse("five")
    with pytest.raises(ValueError, match="five"):
        EUR.parse("five")


def test_decimals_belong_to_the_currency():
    dinar = Currency("KWD", "KD", 3)
    assert JPY.parse("¥1,250") == 1250
    with pytest.raises(AmountError):
        JPY.parse("5.0")
    assert dinar.parse("KD1.25") == 1250
    assert dinar.format(-1005) == "-KD1.005"


@pytest.mark.parametrize(
    ("currency", "amount", "expected"),
    [
        (EUR, 123450, "€1,234.50"),
        (EUR, 5, "€0.05"),
        (EUR, 0, "€0.00"),
        (EUR, -310, "-€3.10"),
        (EUR, -5, "-€0.05"),
        (USD, -100000000, "-$1,000,000.00"),
        (JPY, 1250, "¥1,250"),
        (JPY, -7, "-¥7"),
    ],
)
def test_writing(currency, amount, expected):
    assert currency.format(amount) == expected


def test_writing_with_a_plus():
    assert EUR.format(310, plus=True) == "+€3.10"
    assert EUR.format(-310, plus=True) == "-€3.10"
    assert EUR.format(0, plus=True) == "€0.00"


@pytest.mark.parametrize("amount", [0, 1, -1, 99, -100, 123456789, -1000000])
def test_what_is_written_is_read_back(amount):
    assert EUR.parse(EUR.format(amount, plus=True)) == amount
    assert JPY.parse(JPY.format(amount)) == amount
