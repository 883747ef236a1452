"""`repowright tools`: each of the eight on an example, as a person and a program sees it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

GRIDLET = Path(__file__).resolve().parents[2] / "examples" / "gridlet"
VERIFIERS = (
    "structure-verifier",
    "interface-verifier",
    "missing-file-detector",
    "skeleton-coverage-verifier",
)


def tools(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", "tools", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_the_eight_are_listed_one_a_line() -> None:
    lines = tools().stdout.splitlines()
    assert len(lines) == 8
    assert lines[0].startswith("requirement-access  ")
    assert [entry["name"] for entry in json.loads(tools("--json").stdout)["tools"]] == [
        line.split()[0] for line in lines
    ]


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (
            ("requirement-access", GRIDLET, "prd/7-files"),
            {"id": "prd/7-files", "title": "7. Files"},
        ),
        (
            ("symbol-extractor", GRIDLET, "gridlet/core/inputs.py"),
            {"kind": "function", "signature": "is_formula(text: str) -> bool"},
        ),
        (
            ("artifacts-retriever", GRIDLET, "gridlet/core/inputs.py", "skeleton"),
            {"binding": "skeleton", "path": "gridlet/core/inputs.py"},
        ),
        (
            ("documentation-searcher", GRIDLET, "byte", "order", "mark"),
            {"heading": "7. Files"},
        ),
    ],
)
def test_retrieval_gives_results_with_their_places(
    arguments: tuple[str | Path, ...], first: dict[str, str]
) -> None:
    done = tools(*arguments, "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)["results"][0]
    assert found.items() >= first.items()
    assert found["location"]["line"] >= 1


@pytest.mark.parametrize("name", VERIFIERS)
def test_verifiers_pass_what_is_whole(name: str) -> None:
    done = tools(name, GRIDLET)
    assert (done.returncode, done.stdout) == (0, "no fault found\n")


def test_verifiers_hold_code_against_the_spec(tmp_path: Path) -> None:
    (tmp_path / "gridlet").mkdir()
    (tmp_path / "gridlet" / "errors.py").write_text("class GridletError(Exception):\n    pass\n")
    for name in VERIFIERS[1:]:
        done = tools(name, GRIDLET, "--code", tmp_path, "--json")
        assert done.returncode == 1
        found = json.loads(done.stdout)["evidence"]
        assert all(e["location"]["file"] for e in found)
        subjects = {e["subject"] for e in found}
        assert not any(s.startswith("gridlet/errors.py::GridletError") for s in subjects)
        assert subjects & {"DependencyGraph", "gridlet/formula/parser.py"}


def test_a_fault_is_told_with_its_place_and_rule(tmp_path: Path) -> None:
    done = tools("missing-file-detector", GRIDLET, "--code", tmp_path)
    assert done.returncode == 1
    told = "fault (file-missing): the architecture names `gridlet/cli/app.py`"
    (line,) = (line for line in done.stdout.splitlines() if told in line)
    assert line.startswith("architecture_design.md:")


def test_mistakes_are_one_clear_sentence(tmp_path: Path) -> None:
    assert refused(tools("linter", GRIDLET)).startswith(
        "repowright: there is no tool `linter` (choose one of requirement-access, "
    )
    assert refused(tools("structure-verifier", tmp_path / "none")).endswith(
        "there is no such folder (give the folder that holds PRD.md)"
    )
    assert "near to it: `prd/7-files`" in refused(tools("requirement-access", GRIDLET, "prd/7"))
    assert refused(tools("symbol-extractor", GRIDLET, "none.py")).startswith(
        "repowright: the structure has no node `none.py`"
    )
    assert "there is no artifact `bytes`" in refused(
        tools("artifacts-retriever", GRIDLET, "gridlet/errors.py", "bytes")
    )
    assert refused(tools("interface-verifier", GRIDLET, "--code", tmp_path / "none")).endswith(
        "there is no such folder (give the root of the code to --code)"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("structure-verifier",),
        ("structure-verifier", GRIDLET, "more"),
        ("artifacts-retriever", GRIDLET),
        ("documentation-searcher", GRIDLET),
    ],
)
def test_wrong_use_is_exit_code_2(arguments: tuple[str | Path, ...]) -> None:
    assert tools(*arguments).returncode == 2
