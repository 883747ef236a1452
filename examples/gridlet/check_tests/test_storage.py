"""Sheets survive the way to a file and back, or the file stays as it was."""

import pytest

from gridlet import GridletError, Spreadsheet, StorageError
from gridlet.storage.csv_file import export_csv, import_csv
from gridlet.storage.json_file import load, save

CELLS = {"B1": "Größe", "A1": "'007", "A2": "4.50", "B2": "=A2*2", "C10": "=1/0"}


@pytest.fixture
def sheet():
    sheet = Spreadsheet()
    sheet.set_many(CELLS)
    return sheet


def test_the_file_can_be_read_by_a_person(sheet, tmp_path):
    path = tmp_path / "sheet.json"
    save(sheet, path)
    text = path.read_text(encoding="utf-8")
    assert text == (
        '{\n  "gridlet": 1,\n  "cells": {\n    "A1": "\'007",\n    "B1": "Größe",\n'
        '    "A2": "4.50",\n    "B2": "=A2*2",\n    "C10": "=1/0"\n  }\n}\n'
    )
    assert [p.name for p in tmp_path.iterdir()] == ["sheet.json"]


def test_a_sheet_comes_back_as_it_was(sheet, tmp_path):
    path = str(tmp_path / "sheet.json")
    save(sheet, path)
    again = load(path)
    assert again.cells() == sheet.cells()
    assert [again.show(a) for a, _ in again.cells()] == [sheet.show(a) for a, _ in sheet.cells()]
    again.set("A2", "5")
    save(again, path)
    assert load(path).show("B2") == "10"


def test_formulas_may_stand_before_what_they_need(tmp_path):
    path = tmp_path / "sheet.json"
    path.write_text('{"gridlet": 1, "cells": {"a1": "=B1", "B1": "=C1", "C1": "3"}}')
    assert load(path).show("A1") == "3"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"cells": {}}',
        '{"gridlet": 2, "cells": {}}',
        '{"gridlet": "1", "cells": {}}',
        '{"gridlet": 1}',
        '{"gridlet": 1, "cells": []}',
        '{"gridlet": 1, "cells": {"A1": 5}}',
        '{"gridlet": 1, "cells": {"A0": "5"}}',
        '{"gridlet": 1, "cells": {"A1": "=1+"}}',
        '{"gridlet": 1, "cells": {"A1": "5", "a1": "6"}}',
    ],
)
def test_files_that_are_no_sheets(content, tmp_path):
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(StorageError, match=r"broken\.json") as caught:
        load(path)
    assert caught.value.path == path
    assert isinstance(caught.value, GridletError)


def test_files_that_are_not_text(tmp_path):
    (tmp_path / "noise").write_bytes(b"\xff\xfe\x00")
    for read in (load, import_csv):
        with pytest.raises(StorageError):
            read(tmp_path / "noise")


def test_files_that_cannot_be_read_or_written(sheet, tmp_path):
    for read in (load, import_csv):
        with pytest.raises(StorageError, match="nowhere"):
            read(tmp_path / "nowhere")
    for write in (save, export_csv):
        with pytest.raises(StorageError, match="nowhere"):
            write(sheet, tmp_path / "nowhere" / "file")
        with pytest.raises(StorageError):
            write(sheet, tmp_path)


def test_export(sheet, tmp_path):
    sheet.set_many({"C10": "", "A3": 'say "hi"', "C3": "a,b"})
    export_csv(sheet, tmp_path / "shown.csv")
    assert (tmp_path / "shown.csv").read_bytes().decode() == (
        '007,Größe,\r\n4.5,9,\r\n"say ""hi""",,"a,b"\r\n'
    )
    export_csv(sheet, tmp_path / "typed.csv", formulas=True)
    assert (tmp_path / "typed.csv").read_bytes().decode() == (
        '\'007,Größe,\r\n4.50,=A2*2,\r\n"say ""hi""",,"a,b"\r\n'
    )


def test_export_begins_at_the_first_cell(tmp_path):
    sheet = Spreadsheet()
    export_csv(sheet, tmp_path / "empty.csv")
    assert (tmp_path / "empty.csv").read_bytes() == b""
    sheet.set("B2", "x")
    export_csv(sheet, tmp_path / "one.csv")
    assert (tmp_path / "one.csv").read_bytes() == b",\r\n,x\r\n"


def test_import(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b'\xef\xbb\xbfname,n\r\n"two\nlines",3\n,=B2*2\nshort\n')
    sheet = import_csv(path)
    assert [(str(a), t) for a, t in sheet.cells()] == [
        ("A1", "name"),
        ("B1", "n"),
        ("A2", "two\nlines"),
        ("B2", "3"),
        ("B3", "=B2*2"),
        ("A4", "short"),
    ]
    assert sheet.show("B3") == "6"


def test_import_of_what_only_looks_like_a_formula(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("=1+,==,=,=)\n")
    sheet = import_csv(path)
    assert [sheet.show(f"{c}1") for c in "ABCD"] == ["=1+", "==", "=", "=)"]
    assert [sheet.text(f"{c}1") for c in "ABCD"] == ["'=1+", "'==", "=", "'=)"]


def test_import_of_what_does_not_fit(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("," * 702 + "x\n")
    with pytest.raises(StorageError, match=r"wide\.csv"):
        import_csv(path)


def test_typed_texts_survive_csv(sheet, tmp_path):
    export_csv(sheet, tmp_path / "typed.csv", formulas=True)
    assert import_csv(tmp_path / "typed.csv").cells() == sheet.cells()
