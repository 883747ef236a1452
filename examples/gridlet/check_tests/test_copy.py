"""References move along when a formula is copied."""

import pytest

from gridlet import AddressError, Spreadsheet
from gridlet.formula.shift import shift_formula


def copied(text, source, target):
    sheet = Spreadsheet()
    sheet.set(source, text)
    sheet.copy(source, target)
    return sheet.text(target)


@pytest.mark.parametrize(
    ("text", "source", "target", "expected"),
    [
        ("=A1+1", "B1", "B2", "=A2+1"),
        ("=A1+1", "B1", "C1", "=B1+1"),
        ("=$A1+A$1+$A$1", "B1", "D3", "=$A3+C$1+$A$1"),
        ("=SUM(A1:B2)", "C1", "D5", "=SUM(B5:C6)"),
        ("=SUM($A$1:B2)", "C1", "D5", "=SUM($A$1:C6)"),
        ("=Z1", "A5", "B5", "=AA1"),
        ("=B2", "C3", "B2", "=A1"),
        ("=B2", "C3", "A1", "=#REF!"),
        ("=SUM(A1:B2)*2", "C3", "C2", "=SUM(#REF!)*2"),
        ("=$B$2", "C3", "A1", "=$B$2"),
        ("=ZZ1", "A1", "B1", "=#REF!"),
        ("=A9999", "A1", "A2", "=#REF!"),
        ('=IF( a1 > 0 , "A1" , sum(b1 , 2) )', "C1", "C2", '=IF( A2 > 0 , "A1" , sum(B2 , 2) )'),
        ("=A0+FOO1+A1", "B1", "B2", "=A0+FOO1+A2"),
        ("A1", "B1", "C7", "A1"),
        ("'=A1", "B1", "C7", "'=A1"),
        ("4.50", "B1", "C7", "4.50"),
    ],
)
def test_copying(text, source, target, expected):
    assert copied(text, source, target) == expected


def test_what_leaves_the_grid_is_an_error_value():
    sheet = Spreadsheet()
    sheet.set("B2", "=A1")
    sheet.copy("B2", "A2")
    assert (sheet.text("A2"), sheet.show("A2")) == ("=#REF!", "#REF!")
    sheet.copy("A2", "C5")
    assert sheet.text("C5") == "=#REF!"


def test_copying_to_a_range_with_the_source_in_it():
    sheet = Spreadsheet()
    sheet.set_many({"A1": "1", "A2": "=A1*2"})
    changed = sheet.copy("A2", "a2:A5")
    assert [str(a) for a in changed] == ["A3", "A4", "A5"]
    assert [sheet.show(f"A{n}") for n in range(1, 6)] == ["1", "2", "4", "8", "16"]


def test_copying_an_empty_cell_empties_the_target():
    sheet = Spreadsheet()
    sheet.set_many({"A1": "x", "B1": "=A1"})
    assert [str(a) for a in sheet.copy("C9", "A1")] == ["A1", "B1"]
    assert sheet.text("A1") == ""


def test_copying_to_nowhere():
    with pytest.raises(AddressError):
        Spreadsheet().copy("A1", "B0")


def test_shifting_a_text_alone():
    assert shift_formula("=A1 + $B$2", 1, 1) == "=B2 + $B$2"
    assert shift_formula('="A1"&A1', 1, 0) == '="A1"&A2'
