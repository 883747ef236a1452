"""`repowright repair`: somebody's repository is mended on this machine."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]

MEND = Path(__file__).parents[2] / "examples" / "mend"
MODEL = ("--model", "claude-opus-4.8", "--backend", f"replay:{MEND}/recorded")


def repair(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "bot", "repair", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_a_folder_without_a_workflow_is_mended_into_another_one(tmp_path: Path) -> None:
    folder, out = tmp_path / "shelfmark", tmp_path / "out"
    shutil.copytree(MEND / "repository", folder, ignore=shutil.ignore_patterns(".github"))
    done = repair(folder, "--out", out, *MODEL, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert (result["outcome"], result["tests"]["passed"]) == ("passed", 49)
    assert result["branch"] == "repowright/1-tests-fail-on-main"
    before = {p.relative_to(folder): p.read_text() for p in folder.rglob("*.py")}
    changed = {p.as_posix() for p, text in before.items() if (out / p).read_text() != text}
    assert changed == {f"shelfmark/{name}.py" for name in ("fines", "loans", "members")}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "there is nothing in this folder"),
        (
            {"a.py": "", "tests/test_a.py": "import a\n\n\ndef test_a():\n    pass\n"},
            "no test fails",
        ),
    ],
)
def test_what_cannot_be_mended_is_one_error(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    done = repair(folder, "--out", tmp_path / "out", *MODEL)
    assert (done.returncode, done.stdout) == (1, "")
    [error] = done.stderr.splitlines()
    assert said in error
