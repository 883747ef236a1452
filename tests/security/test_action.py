"""The check action runs its own program in a folder that generated code has filled."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

_ACTION = Path(__file__).parents[2] / "actions" / "check" / "action.yml"
_HOSTILE = 'import os\nos.close(os.open(os.environ["PROOF"], os.O_CREAT))\n'


def _steps() -> dict[str, Any]:
    action = yaml.safe_load(_ACTION.read_text("utf-8"))
    return {step["name"]: step for step in action["runs"]["steps"]}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    folder = tmp_path / "workspace"
    (folder / "check_tests").mkdir(parents=True)
    (folder / "check_tests" / "test_one.py").write_text("def test_one():\n    assert True\n")
    for name in ("argparse", "secrets", "venv", "yaml", "jinja2"):
        (folder / f"{name}.py").write_text(_HOSTILE)
    (folder / "bot").mkdir()
    (folder / "bot" / "__init__.py").write_text(_HOSTILE)
    return folder


def test_no_file_of_the_project_takes_the_place_of_the_actions_own_modules(
    workspace: Path, tmp_path: Path
) -> None:
    proof = tmp_path / "ran-outside-the-sandbox"
    environment = {
        **os.environ,
        "PROOF": str(proof),
        "PYTHON": sys.executable,
        "TESTS": "check_tests",
        "MISSING": "fail",
        "REQUIREMENTS": "",
        "EXTRAS": "",
        "SETTINGS": "tests",
        "OUT": str(tmp_path / "report"),
        "HISTORY": str(tmp_path / "history.json"),
        "TEST_SECONDS": "20",
        "TOTAL_SECONDS": "60",
        "MEMORY": "1024",
        "SANDBOX": "bubblewrap",
        "REPOWRIGHT_CHECK_ENV": sys.prefix,
        "GITHUB_WORKSPACE": str(workspace),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }
    for name in ("Run check tests", "Write the summary"):
        done = subprocess.run(
            ["bash", "-e", "-c", _steps()[name]["run"]],
            cwd=workspace,
            env=environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert not proof.exists()
    assert "green=true" in (tmp_path / "output").read_text("utf-8")


def test_every_python_of_the_action_leaves_the_work_tree_off_its_path() -> None:
    commands = [
        line.strip()
        for step in _steps().values()
        for line in step.get("run", "").splitlines()
        if " -m " in line
    ]
    assert len(commands) == 3
    assert all(" -P -m " in command for command in commands)
