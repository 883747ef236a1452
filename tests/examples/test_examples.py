"""The specs that ship as examples: read without a word of complaint, and strict."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from bot.spec.folder import spec_from_files
from bot.spec.model import Spec
from bot.specfolder import read_folder
from bot.spec.report import counts

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("jiffy", "evensteven", "gridlet")


def read(name: str) -> Spec:
    return spec_from_files(read_folder(EXAMPLES / name))


@pytest.mark.parametrize("name", NAMES)
def test_an_example_says_everything_and_nothing_is_wrong_with_it(name: str) -> None:
    spec = read(name)
    assert spec.problems == ()
    assert spec.derived == ()
    assert spec.requirements == ()
    assert spec.resources == ()
    assert all(file.responsibility for file in spec.files)


@pytest.mark.parametrize(
    ("name", "files", "classes", "messages", "packages"),
    [("jiffy", 3, 3, 13, 0), ("evensteven", 7, 19, 21, 0), ("gridlet", 23, 21, 26, 1)],
)
def test_an_example_is_found_whole(
    name: str, files: int, classes: int, messages: int, packages: int
) -> None:
    spec = read(name)
    assert len(spec.files) == files
    assert sum(len(file.classes) for file in spec.files) == classes
    assert counts(spec)["messages"] == messages
    assert len(spec.package_diagrams) == packages


@pytest.mark.parametrize("name", NAMES)
def test_every_class_of_the_diagrams_has_its_file(name: str) -> None:
    spec = read(name)
    planned = {c.name for file in spec.files for c in file.classes}
    drawn = {
        c.name
        for diagram in spec.class_diagrams
        for c in diagram.classes
        if not (c.hosts_globals or c.external)
    }
    assert drawn
    assert drawn <= planned


@pytest.mark.parametrize("name", NAMES)
def test_check_tests_need_nothing_but_the_project(name: str) -> None:
    imported = set()
    for path in (EXAMPLES / name / "check_tests").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").split(".")[0])
    assert name in imported
    assert imported <= sys.stdlib_module_names | {"pytest", name}


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_project_passes_no_check_test(name: str, tmp_path: Path) -> None:
    tests = EXAMPLES / name / "check_tests"
    command = [
        sys.executable,
        "-B",
        "-m",
        "pytest",
        "-q",
        "-c",
        str(tmp_path / "none.ini"),
        str(tests),
    ]
    (tmp_path / "none.ini").write_text("[pytest]\n", encoding="utf-8")
    options = ["-p", "no:cacheprovider", "--continue-on-collection-errors"]
    done = subprocess.run(
        command + options, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "passed" not in done.stdout
    assert f"No module named '{name}'" in done.stdout


def test_the_readme_names_every_example() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    folders = {path.name for path in EXAMPLES.iterdir() if (path / "PRD.md").is_file()}
    assert folders == set(NAMES)
    assert all(f"[`{name}`]({name})" in text for name in folders)
