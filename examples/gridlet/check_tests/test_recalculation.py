"""Only what has to change is calculated, once, and circles are seen."""

import pytest

from gridlet import CellError, FormulaSyntaxError, Spreadsheet


def names(addresses):
    return [str(address) for address in addresses]


def filled(**cells):
    sheet = Spreadsheet()
    for address, text in cells.items():
        sheet.set(address, text)
    return sheet


def test_dependents_follow():
    sheet = filled(A1="1", A2="=A1*2", A3="=A2+A1", B1="=SUM(A1:A3)")
    assert names(sheet.set("A1", "10")) == ["A1", "B1", "A2", "A3"]
    assert [sheet.show(a) for a in ("A2", "A3", "B1")] == ["20", "30", "60"]


def test_only_cells_whose_value_changed_are_reported():
    sheet = filled(A1="1", A2="=A1>0", A3="=A2")
    assert names(sheet.set("A1", "2")) == ["A1"]
    assert names(sheet.set("A1", "2.0")) == []
    assert sheet.text("A1") == "2.0"
    assert names(sheet.set("A1", "-1")) == ["A1", "A2", "A3"]
    assert names(sheet.clear("B7")) == []


def test_a_value_of_another_kind_is_a_change():
    sheet = filled(A1="1", B1="x")
    assert names(sheet.set("A1", "TRUE")) == ["A1"]
    assert names(sheet.set("A1", "'TRUE")) == ["A1"]
    assert names(sheet.set("A1", "=1=1")) == ["A1"]
    assert names(sheet.set("A1", "=1")) == ["A1"]
    assert names(sheet.set("B1", "'x")) == []


def test_formulas_may_come_before_what_they_need():
    sheet = filled(A1="=B1+C1", B1="=C1*2")
    assert names(sheet.set("C1", "5")) == ["A1", "B1", "C1"]
    assert sheet.show("A1") == "15"


def test_each_formula_is_calculated_once_and_only_if_needed():
    sheet = filled(A1="1", B1="=A1", B2="=A1", C1="=B1+B2", C2="=C1+B1+A1", D1="=7")
    start = sheet.evaluations
    sheet.set("A1", "2")
    assert sheet.evaluations - start == 4
    sheet.set("E1", "text")
    assert sheet.evaluations - start == 4
    sheet.set("C1", "=B1")
    assert sheet.evaluations - start == 6


def test_what_is_no_longer_mentioned_no_longer_matters():
    sheet = filled(A1="1", B1="2", C1="=A1")
    sheet.set("C1", "=B1")
    start = sheet.evaluations
    assert names(sheet.set("A1", "5")) == ["A1"]
    assert sheet.evaluations == start
    assert names(sheet.set("B1", "6")) == ["B1", "C1"]
    sheet.set("C1", "plain")
    assert names(sheet.set("B1", "7")) == ["B1"]


def test_many_at_once():
    sheet = filled(C1="=A1+B1")
    start = sheet.evaluations
    assert names(sheet.set_many({"B1": "2", "A1": "1", "D1": "=C1"})) == ["A1", "B1", "C1", "D1"]
    assert sheet.evaluations - start == 2
    with pytest.raises(FormulaSyntaxError):
        sheet.set_many({"A1": "100", "B1": "=1+"})
    assert (sheet.show("A1"), sheet.show("C1")) == ("1", "3")


def test_a_long_chain():
    sheet = Spreadsheet()
    sheet.set_many({f"A{n}": f"=A{n - 1}+1" for n in range(2, 3001)} | {"A1": "1"})
    assert sheet.show("A3000") == "3000"
    assert len(sheet.set("A1", "2")) == 3000
    assert sheet.show("A3000") == "3001"


@pytest.mark.parametrize(
    "formula", ["=A1", "=A1+1", "=SUM(A1:B2)", "=IF(TRUE,1,A1)", "=IFERROR(A1,0)"]
)
def test_a_cell_that_mentions_itself(formula):
    sheet = filled(A1=formula)
    assert sheet.get("A1") is CellError.CYCLE


def test_all_on_the_way_round_are_in_the_cycle():
    sheet = filled(A1="=B1", B1="=IFERROR(C1, 0)", C1="5")
    start = sheet.evaluations
    assert names(sheet.set("C1", "=A1+1")) == ["A1", "B1", "C1"]
    assert [sheet.show(a) for a in ("A1", "B1", "C1")] == ["#CYCLE!"] * 3
    assert sheet.evaluations == start


def test_who_looks_at_a_cycle_from_outside():
    sheet = filled(A1="=B1", B1="=A1", C1="=A1+1", D1='=IFERROR(C1, "round")', E1="=COUNTA(A1:B1)")
    assert [sheet.show(a) for a in ("C1", "D1", "E1")] == ["#CYCLE!", "round", "2"]


def test_who_feeds_a_cycle_is_not_in_it():
    sheet = filled(A1="1", B1="=A1+C1", C1="=B1")
    assert [sheet.show(a) for a in ("A1", "B1", "C1")] == ["1", "#CYCLE!", "#CYCLE!"]
    assert names(sheet.set("A1", "2")) == ["A1"]


def test_two_circles_and_the_bridge_between_them():
    sheet = filled(A1="=A2", A2="=A1", B1="=IFERROR(A1, 1)", C1="=C2+B1", C2="=C1")
    assert [sheet.show(a) for a in ("A1", "B1", "C1", "C2")] == [
        "#CYCLE!",
        "1",
        "#CYCLE!",
        "#CYCLE!",
    ]


def test_a_broken_circle_is_calculated_again():
    sheet = filled(A1="=B1+1", B1="=C1+1", C1="=A1+1", D1="=B1")
    assert names(sheet.set("C1", "1")) == ["A1", "B1", "C1", "D1"]
    assert [sheet.show(a) for a in ("A1", "B1", "C1", "D1")] == ["3", "2", "1", "2"]


def test_what_is_refused_changes_nothing():
    sheet = filled(A1="1", B1="=A1")
    start = sheet.evaluations
    with pytest.raises(FormulaSyntaxError):
        sheet.set("B1", "=(")
    assert sheet.evaluations == start
    assert names(sheet.set("A1", "2")) == ["A1", "B1"]


def test_cells_and_used_range():
    sheet = filled(C2="x", A10="=1", B1="'")
    assert [(str(a), text) for a, text in sheet.cells()] == [
        ("B1", "'"),
        ("C2", "x"),
        ("A10", "=1"),
    ]
    assert str(sheet.used_range()) == "A1:C10"
    sheet.clear("A10")
    assert str(sheet.used_range()) == "A1:C2"
    assert Spreadsheet().used_range() is None
