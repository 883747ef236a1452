"""`repowright bench`: the table, the JSON object, and what is said of wrong use."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .kit import datasets


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", "bench", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def figures(name: str, folder: Path, *more: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    done = bench(name, str(folder), "--json", *more)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["bench"] == name
    return said["figures"], said["tasks"]


def test_structure_of_documents_that_say_nearly_everything(tmp_path: Path) -> None:
    found, tasks = figures("structure", datasets(tmp_path))
    assert [t["task"] for t in tasks] == ["shop", "till"]
    # The documents leave out `Cart.bill`: 4 of 4 planned leaves are real, of 5 real ones.
    assert found["f1_codeprojecteval"] == found["f1_devbench"] == round(8 / 9, 4)
    assert found["f1_devbench_file"] == 1.0
    assert found["model_calls"] == 0


def test_skeletons_hold_and_are_really_imported(tmp_path: Path) -> None:
    found, tasks = figures("skeleton", datasets(tmp_path), "--only", "till")
    assert [t["task"] for t in tasks] == ["till"]
    assert (found["compiles"], found["resolves"], found["covers"]) == (1.0, 1.0, 1.0)
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap to import the modules")
    assert (found["imports"], found["imported"], found["modules"]) == (1.0, 3, 3)


def test_the_gate_is_silent_on_good_code_and_catches_what_is_seeded(tmp_path: Path) -> None:
    found, tasks = figures("gate", datasets(tmp_path), "--only", "shop")
    assert (found["alarms"], found["defects"], found["alarms_per_10k_lines"]) == (0, 0, 0.0)
    assert found["seeded"] >= 9
    assert found["caught"] == 1.0
    assert found["seeded_placeholder"] == found["all_seeded_placeholder"] == 2
    assert found["lines"] == tasks[0]["lines"] == 22


def test_a_person_gets_tables_with_the_goals(tmp_path: Path) -> None:
    done = bench("structure", str(datasets(tmp_path)), "--only", "shop")
    assert done.returncode == 0
    row = next(line for line in done.stdout.splitlines() if "f1_codeprojecteval " in line)
    assert ">= 0.9" in row and "missed" in row


def test_wrong_use_is_said_in_one_line(tmp_path: Path) -> None:
    done = bench("speed", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("repowright: there is no bench `speed` (choose one of structure")
    assert len(done.stderr.splitlines()) == 1
