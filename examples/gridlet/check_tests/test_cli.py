"""The command line, as a person uses it."""

import subprocess
import sys

import pytest

from gridlet import Range, Spreadsheet
from gridlet.cli.app import main
from gridlet.cli.table import render_table

TABLE = """\
   A       B    C    D
1  Apples    3  0.4
2  Pears   4.5  0.6          0.08
3          7.5    1  0.1333333333
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = main(list(arguments))
        output = capsys.readouterr()
        return code, output.out, output.err

    return run


@pytest.fixture
def picnic(run):
    for cell, text in {
        "A1": "Apples",
        "B1": "3",
        "A2": "Pears",
        "B2": "4.50",
        "B3": "=SUM(B1:B2)",
        "C1": "=B1/$B$3",
    }.items():
        assert run("set", "picnic.json", cell, text)[0] == 0
    assert run("copy", "picnic.json", "C1", "C2:D3")[0] == 0
    return run


def test_show(picnic):
    assert picnic("show", "picnic.json") == (0, TABLE, "")


def test_show_a_range(picnic):
    assert picnic("show", "picnic.json", "b2:A1") == (
        0,
        "   A       B\n1  Apples    3\n2  Pears   4.5\n",
        "",
    )


def test_get(picnic):
    assert picnic("get", "picnic.json", "b3") == (0, "7.5\n", "")
    assert picnic("get", "picnic.json", "Z1") == (0, "\n", "")


def test_set_prints_what_changed(picnic):
    assert picnic("set", "picnic.json", "b1", "5.5") == (
        0,
        "B1 = 5.5\nC1 = 0.55\nC2 = 0.45\nD2 = 0.045\nB3 = 10\nD3 = 0.1\n",
        "",
    )
    assert picnic("set", "picnic.json", "B1", "5.50") == (0, "", "")


def test_set_makes_a_new_file(run, tmp_path):
    assert run("set", "new.json", "A1", "") == (0, "", "")
    assert run("show", "new.json") == (0, "(empty)\n", "")


def test_copy_prints_what_changed(picnic):
    assert picnic("copy", "picnic.json", "A1", "A3:A4") == (0, "A3 = Apples\nA4 = Apples\n", "")


def test_export_and_import(picnic, tmp_path):
    assert picnic("export", "picnic.json", "out.csv") == (0, "", "")
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == "Pears,4.5,0.6,0.08"
    assert picnic("export", "picnic.json", "typed.csv", "--formulas") == (0, "", "")
    assert picnic("import", "again.json", "typed.csv") == (0, "", "")
    assert picnic("show", "again.json") == (0, TABLE, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "nowhere.json"),
        ("get", "picnic.json", "A0"),
        ("set", "picnic.json", "A1", "=1+"),
        ("set", "picnic.json", "1A", "x"),
        ("copy", "picnic.json", "A1", "B"),
        ("show", "picnic.json", "A1:"),
        ("import", "picnic.json", "nowhere.csv"),
        ("copy", "nowhere.json", "A1", "B1"),
    ],
)
def test_errors_are_one_line_and_change_nothing(picnic, tmp_path, arguments):
    before = (tmp_path / "picnic.json").read_bytes()
    code, out, err = picnic(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith("gridlet: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert (tmp_path / "picnic.json").read_bytes() == before
    assert not (tmp_path / "nowhere.json").exists()


@pytest.mark.parametrize("arguments", [(), ("dance",), ("get", "x.json"), ("show",)])
def test_wrong_use(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "usage" in err.lower()


def test_it_is_a_module_that_can_be_run(tmp_path):
    command = [sys.executable, "-m", "gridlet", "set", str(tmp_path / "x.json"), "A1", "=6*7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "A1 = 42\n")


def test_tables():
    sheet = Spreadsheet()
    assert render_table(sheet) == "(empty)\n"
    sheet.set_many({"AA9": "TRUE", "AB10": "=1/0", "AC9": "123456"})
    assert render_table(sheet, Range.parse("AA9:AD10")) == (
        "    AA    AB       AC      AD\n 9  TRUE           123456\n10        #DIV/0!\n"
    )
    assert render_table(sheet, Range.parse("A1")) == "   A\n1\n"
