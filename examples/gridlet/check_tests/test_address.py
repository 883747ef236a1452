"""Addresses and ranges mean what people mean by them."""

import pytest

from gridlet import Address, AddressError, GridletError, Range
from gridlet.core.address import column_name, column_number


@pytest.mark.parametrize(
    ("number", "name"), [(1, "A"), (26, "Z"), (27, "AA"), (52, "AZ"), (53, "BA"), (702, "ZZ")]
)
def test_columns(number, name):
    assert column_name(number) == name
    assert column_number(name) == column_number(name.lower()) == number


@pytest.mark.parametrize("number", [0, -1, 703])
def test_columns_that_do_not_exist(number):
    with pytest.raises(AddressError):
        column_name(number)


@pytest.mark.parametrize(
    ("text", "row", "column"), [("A1", 1, 1), ("b3", 3, 2), (" zZ9999 ", 9999, 702)]
)
def test_reading_an_address(text, row, column):
    assert Address.parse(text) == Address(row, column)
    assert str(Address.parse(text)) == text.strip().upper()


@pytest.mark.parametrize(
    "text", ["", "A", "1", "A0", "A01", "1A", "AAA1", "A10000", "A-1", "A1B", "Ä1", "A١", "$A$1"]
)
def test_what_is_not_an_address(text):
    with pytest.raises(AddressError):
        Address.parse(text)


def test_the_edge_of_the_grid():
    assert Address.parse("B2").shifted(-1, 3) == Address.parse("E1")
    for rows, columns in ((-2, 0), (0, -2), (9998, 0), (0, 701)):
        with pytest.raises(AddressError):
            Address.parse("B2").shifted(rows, columns)
    with pytest.raises(GridletError):
        Address(0, 1)


def test_addresses_sort_row_by_row():
    addresses = [Address.parse(text) for text in ("B2", "A10", "AA1", "B1", "A2")]
    assert [str(a) for a in sorted(addresses)] == ["B1", "AA1", "A2", "B2", "A10"]


@pytest.mark.parametrize("text", ["B2:C4", "C4:B2", "b4:c2", "C2:B4"])
def test_a_range_is_a_rectangle_whichever_corners_are_given(text):
    area = Range.parse(text)
    assert (str(area.start), str(area.end), str(area)) == ("B2", "C4", "B2:C4")
    assert (area.rows, area.columns, len(area)) == (3, 2, 6)
    assert [str(a) for a in area] == ["B2", "C2", "B3", "C3", "B4", "C4"]
    assert Address.parse("C3") in area
    assert Address.parse("D3") not in area


def test_a_single_address_is_a_range_of_one_cell():
    assert str(Range.parse("c3")) == "C3"
    assert list(Range.parse("C3")) == [Address(3, 3)]


@pytest.mark.parametrize("text", ["", ":", "A1:", ":A1", "A1:B2:C3", "A:B"])
def test_what_is_not_a_range(text):
    with pytest.raises(AddressError):
        Range.parse(text)
