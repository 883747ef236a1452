"""Formulas follow the rules of the big spreadsheets."""

from decimal import Decimal

import pytest

from gridlet import CellError, FormulaSyntaxError, Spreadsheet


def value(formula, **cells):
    sheet = Spreadsheet()
    for address, text in cells.items():
        sheet.set(address, text)
    sheet.set("Z99", formula)
    return sheet.get("Z99")


def shown(formula, **cells):
    sheet = Spreadsheet()
    for address, text in cells.items():
        sheet.set(address, text)
    sheet.set("Z99", formula)
    return sheet.show("Z99")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=1+2*3", "7"),
        ("=(1+2)*3", "9"),
        ("=10-4-3", "3"),
        ("=16/4/2", "2"),
        ("=2^3^2", "64"),
        ("=2*3^2", "18"),
        ("=2^3*2", "16"),
        ("=-2^2", "4"),
        ("=0-2^2", "-4"),
        ("=2^-1", "0.5"),
        ("=--3", "3"),
        ("=+-+3", "-3"),
        ("=50%", "0.5"),
        ("=200%%", "0.02"),
        ("=-50%^2", "0.25"),
        ("=10*5%", "0.5"),
        ("=0.1+0.2", "0.3"),
        ("=.5+5.", "5.5"),
        ("=1e3/2", "500"),
        ('="a"&1+2&"b"', "a3b"),
        ('="x"&TRUE', "xTRUE"),
        ('="say ""hi"""', 'say "hi"'),
        ("=1+1=2", "TRUE"),
        ('=1&2="12"', "TRUE"),
        ("=3>2>1", "TRUE"),
        ("= ( 1 + 2 ) * 3 ", "9"),
    ],
)
def test_precedence(formula, expected):
    assert shown(formula) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=A1+1", "1"),
        ("=TRUE+TRUE", "2"),
        ('="2"*"3"', "6"),
        ('=" 50% "*2', "1"),
        ('="two"*2', "#VALUE!"),
        ('=""+1', "#VALUE!"),
        ('=A1&"x"', "x"),
        ('=1/3&""', "0.3333333333"),
        ("=A1", "0"),
        ("=IF(TRUE,A1)", "0"),
        ("=B1:C2+1", "#VALUE!"),
        ("=B1:C2", "#VALUE!"),
        ("=-B1:C2", "#VALUE!"),
        ("=FOO", "#NAME?"),
        ("=A0+1", "#NAME?"),
        ("=FOO()", "#NAME?"),
    ],
)
def test_what_operators_make_of_values(formula, expected):
    assert shown(formula) == expected


@pytest.mark.parametrize(
    "formula",
    [
        '="a"="A"',
        '="a"<"B"',
        '="10"<"9"',
        '=99<"1"',
        '="zzz"<FALSE',
        "=FALSE<TRUE",
        '=1<>"1"',
        "=TRUE<>1",
        "=A1=0",
        '=A1=""',
        "=A1=FALSE",
        "=A1=B1",
        "=A1<TRUE",
        '=A1<"a"',
        "=-1<A1",
        "=1.0=1",
        "=2>=2",
        "=NOT(2<=1)",
    ],
)
def test_comparisons_that_hold(formula):
    assert value(formula) is True


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=1/0", CellError.DIVISION),
        ("=0/A1", CellError.DIVISION),
        ("=0^-1", CellError.DIVISION),
        ("=0^0", CellError.NUMBER),
        ("=(-8)^0.5", CellError.NUMBER),
        ("=10^100", CellError.NUMBER),
        ("=9^9^9^9", CellError.NUMBER),
        ("=1e99*10", CellError.NUMBER),
        ("=FOO+1/0", CellError.NAME),
        ("=1/0+FOO", CellError.DIVISION),
        ('="x"+1/0', CellError.DIVISION),
        ("=#REF!+1", CellError.REFERENCE),
        ("=#N", None),
        ('=1/0&"x"', CellError.DIVISION),
        ("=FOO=FOO", CellError.NAME),
    ],
)
def test_errors_as_values(formula, expected):
    if expected is None:
        with pytest.raises(FormulaSyntaxError):
            value(formula)
    else:
        assert value(formula) is expected


def test_references_in_any_spelling():
    assert value("=a1+$B$2+B$2+$a1", A1="1", B2="10") == Decimal(22)
    assert value("=sum($A$1:b2)", A1="1", B2="10") == Decimal(11)
    assert value("=Sum(B2:A1)", A1="1", B2="10") == Decimal(11)


@pytest.mark.parametrize(
    ("formula", "position"),
    [
        ("=1+", 3),
        ("= ", 2),
        ("=)", 1),
        ("=1 2", 3),
        ("=1+*2", 3),
        ("=(1+2", 5),
        ("=SUM(1,", 7),
        ("=SUM(1,,2)", 7),
        ("=SUM(,1)", 5),
        ("=SUM(1 2)", 7),
        ('="open', 1),
        ("=1+§", 3),
        ("=A1:", 3),
        ("=1,2", 2),
        ("=1%2", 3),
        ("=A1 B1", 4),
    ],
)
def test_formulas_that_cannot_be_read(formula, position):
    sheet = Spreadsheet()
    sheet.set("A1", "before")
    with pytest.raises(FormulaSyntaxError) as caught:
        sheet.set("A1", formula)
    assert (caught.value.text, caught.value.position) == (formula, position)
    assert sheet.text("A1") == sheet.get("A1") == "before"


def test_nesting_has_a_limit():
    assert value("=" + "(" * 32 + "7" + ")" * 32) == Decimal(7)
    assert value("=" + "ABS(" * 32 + "7" + ")" * 32) == Decimal(7)
    with pytest.raises(FormulaSyntaxError) as caught:
        value("=" + "(" * 33 + "7" + ")" * 33)
    assert caught.value.position == 33
    assert value("=" + "+".join(["(1)"] * 40)) == Decimal(40)


def test_ranges_have_a_limit():
    assert value("=COUNTA(A1:J1000)") == Decimal(0)
    with pytest.raises(FormulaSyntaxError) as caught:
        value("=1+SUM(A1:ZZ9999)")
    assert caught.value.position == 7
