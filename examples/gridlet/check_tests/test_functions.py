"""Each function does what its name promises, with any kind of value."""

import pytest

from gridlet import Spreadsheet

CELLS = {
    "A1": "1",
    "A2": "2.5",
    "A3": "apple",
    "A4": "TRUE",
    "A6": "'7",
    "B1": "10",
    "B2": "20",
    "B3": "30",
    "B4": "40",
    "B5": "50",
    "B6": "x",
    "C1": "=1/0",
    "C2": "=FOO",
    "C3": "5",
}


@pytest.fixture
def sheet():
    sheet = Spreadsheet()
    sheet.set_many(CELLS)
    return sheet


def shown(sheet, formula):
    sheet.set("Z99", formula)
    return sheet.show("Z99")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=SUM(A1:A6)", "3.5"),
        ("=SUM(A1:A6, 1, A1)", "5.5"),
        ('=SUM("2", TRUE)', "3"),
        ('=SUM("two")', "#VALUE!"),
        ("=SUM(A3)", "#VALUE!"),
        ("=SUM(A4)", "1"),
        ("=SUM(A6)", "7"),
        ("=SUM(A6:A6)", "0"),
        ("=SUM(A5)", "0"),
        ("=SUM(D1:D9)", "0"),
        ("=AVERAGE(A1:A6)", "1.75"),
        ("=AVERAGE(D1:D9)", "#DIV/0!"),
        ("=MIN(A1:A6)", "1"),
        ("=MAX(A1:A6, 0-1)", "2.5"),
        ("=MIN(D1:D9)", "0"),
        ("=MAX(D1:D9)", "0"),
        ("=MAX(0-5, 0-3)", "-3"),
        ("=COUNT(A1:A6)", "2"),
        ('=COUNT(A1, A3, A4, A5, A6, "3", "x", 1/0)', "4"),
        ("=COUNT(C1:C3)", "1"),
        ("=COUNTA(A1:A6)", "5"),
        ('=COUNTA(C1:C3, "", A5)', "4"),
    ],
)
def test_numbers_in_lists(sheet, formula, expected):
    assert shown(sheet, formula) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ('=IF(A1>0, "yes", "no")', "yes"),
        ('=IF(A5, "yes", "no")', "no"),
        ('=IF("true", "yes", "no")', "yes"),
        ('=IF("maybe", "yes", "no")', "#VALUE!"),
        ("=IF(0, 1)", "FALSE"),
        ("=IF(TRUE, 1, 1/0)", "1"),
        ("=IF(FALSE, FOO, 2)", "2"),
        ("=IF(1/0, 1, 2)", "#DIV/0!"),
        ("=IF(B1:B2, 1, 2)", "#VALUE!"),
        ('=IFERROR(C1, "none")', "none"),
        ("=IFERROR(A1, 1/0)", "1"),
        ("=IFERROR(1/0, FOO)", "#NAME?"),
        ("=IFERROR(B1:B2, 3)", "3"),
        ("=AND(A1, A2, A4)", "TRUE"),
        ("=AND(A1:A6)", "TRUE"),
        ('=AND("apple")', "#VALUE!"),
        ("=AND(A3:A3)", "#VALUE!"),
        ("=AND(TRUE, A5)", "FALSE"),
        ("=AND(FALSE, 1/0)", "#DIV/0!"),
        ("=OR(A5, FALSE, 0)", "FALSE"),
        ('=OR(FALSE, "TRUE")', "TRUE"),
        ("=OR(D1:D9)", "#VALUE!"),
        ("=NOT(A5)", "TRUE"),
        ('=NOT("false")', "TRUE"),
    ],
)
def test_logic(sheet, formula, expected):
    assert shown(sheet, formula) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=ABS(0-3.5)", "3.5"),
        ("=ROUND(2.5)", "3"),
        ("=ROUND(0-2.5)", "-3"),
        ("=ROUND(2.345, 2)", "2.35"),
        ("=ROUND(1250, 0-2)", "1300"),
        ("=ROUND(49, 0-2)", "0"),
        ("=ROUND(1.29, 1.9)", "1.3"),
        ("=ROUND(5, 3)", "5"),
        ("=MOD(7, 3)", "1"),
        ("=MOD(0-7, 3)", "2"),
        ("=MOD(7, 0-3)", "-2"),
        ("=MOD(0-7, 0-3)", "-1"),
        ("=MOD(6, 0-3)", "0"),
        ("=MOD(5.5, 2)", "1.5"),
        ("=MOD(1, 0)", "#DIV/0!"),
    ],
)
def test_arithmetic(sheet, formula, expected):
    assert shown(sheet, formula) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=LEN(A3)", "5"),
        ("=LEN(A5)", "0"),
        ("=LEN(1/4)", "4"),
        ("=UPPER(A3)", "APPLE"),
        ('=LOWER("ÄPFEL")', "äpfel"),
        ("=LEFT(A3, 3)", "app"),
        ("=LEFT(A3)", "a"),
        ("=RIGHT(A3, 2)", "le"),
        ("=RIGHT(A3, 0)", ""),
        ("=RIGHT(A3, 99)", "apple"),
        ("=LEFT(A3, 2.9)", "ap"),
        ("=LEFT(A3, 0-1)", "#VALUE!"),
        ('=LEFT(A3, "x")', "#VALUE!"),
        ("=LEFT(12345, 2)+1", "13"),
        ("=LEN(A1:A2)", "#VALUE!"),
    ],
)
def test_text(sheet, formula, expected):
    assert shown(sheet, formula) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ('=SUMIF(B1:B6, ">20")', "120"),
        ('=SUMIF(B1:B6, ">=20")', "140"),
        ("=SUMIF(B1:B6, 20)", "20"),
        ('=SUMIF(B1:B6, "20")', "20"),
        ('=SUMIF(B1:B6, "<>20")', "130"),
        ('=SUMIF(A1:A6, "APPLE", B1:B6)', "30"),
        ('=SUMIF(A1:A6, "<>apple", B1:B6)', "120"),
        ('=SUMIF(A1:A6, "TRUE", B1:B6)', "40"),
        ('=SUMIF(A1:A6, "<100", B1:B6)', "30"),
        ('=SUMIF(A1:A6, "=2.5", B1:B6)', "20"),
        ('=SUMIF(A1:A6, "<z", B1:B6)', "30"),
        ('=SUMIF(C1:C3, ">1")', "5"),
        ('=SUMIF(B1:B3, ">20", C1:C3)', "5"),
        ('=SUMIF(B1:B3, ">10", C1:C3)', "#NAME?"),
        ('=SUMIF(C1:C3, "<>5", B1:B3)', "30"),
        ('=SUMIF(B1:B3, ">0", A1:A2)', "#VALUE!"),
        ('=SUMIF(B1:B3, ">0", A1:C1)', "#VALUE!"),
    ],
)
def test_sumif(sheet, formula, expected):
    assert shown(sheet, formula) == expected


@pytest.mark.parametrize(
    "formula",
    ["=SUM()", "=IF(1)", "=IF(1,2,3,4)", "=IFERROR(1)", "=NOT()", "=ABS(1,2)", "=MOD(1)"]
    + ["=ROUND(1,2,3)", "=SUMIF(A1:A2)", "=LEN()"],
)
def test_a_wrong_number_of_arguments(sheet, formula):
    assert shown(sheet, formula) == "#VALUE!"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=SUM(C1:C3)", "#DIV/0!"),
        ("=SUM(1, C2, C1)", "#NAME?"),
        ("=MAX(C2:C3, C1)", "#NAME?"),
        ("=LEN(C1)", "#DIV/0!"),
        ("=ROUND(C2, C1)", "#NAME?"),
        ("=OR(TRUE, C1)", "#DIV/0!"),
    ],
)
def test_the_first_error_wins(sheet, formula, expected):
    assert shown(sheet, formula) == expected
