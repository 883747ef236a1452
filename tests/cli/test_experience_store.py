"""Which store a run on the command line learns in."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

SPEC = Path(__file__).parents[1] / "journeys" / "specs" / "tally"
_DEADLINE = 60.0

pytestmark = pytest.mark.timeout(120)


def started(folder: Path, *options: str, **environ: str) -> dict[str, Any]:
    """What a run remembers for its resumption, once it has begun; it is then killed."""
    file = folder / "out" / ".repowright" / "run.json"
    command = [sys.executable, "-m", "bot", "run", str(SPEC), "--out", str(folder / "out")]
    mailbox = ("--backend", f"mailbox:{folder / 'mail'}", "--sandbox", "none")
    inherited = {n: v for n, v in os.environ.items() if not n.startswith("REPOWRIGHT_")}
    with subprocess.Popen(
        [*command, *mailbox, *options],
        cwd=folder,
        env=inherited | {"PYTHONPATH": str(Path.cwd())} | environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as run:
        deadline = time.monotonic() + _DEADLINE
        # The key is written last.
        while not file.with_name("app.pem").exists() and run.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        run.kill()
        assert run.stderr is not None
        assert file.is_file(), run.stderr.read().decode()
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def test_the_store_of_the_data_folder_is_taken_and_not_made_before_it_is_used(
    tmp_path: Path,
) -> None:
    found = started(tmp_path)
    assert found["experience"] == str(tmp_path / "repowright-data" / "experience.sqlite")
    assert not (tmp_path / "repowright-data").exists()


def test_a_store_that_is_named_goes_over_the_data_folder(tmp_path: Path) -> None:
    found = started(tmp_path, "--experience", "mine.sqlite", REPOWRIGHT_DATA="elsewhere")
    assert found["experience"] == str(tmp_path / "mine.sqlite")


def test_a_recording_knows_nothing_but_itself(tmp_path: Path) -> None:
    found = started(tmp_path, "--record", "recording", REPOWRIGHT_EXPERIENCE="mine.sqlite")
    assert found["experience"] == ""
    assert not (tmp_path / "mine.sqlite").exists()


def test_off_is_a_setting_of_the_run(tmp_path: Path) -> None:
    found = started(tmp_path, "--experience", "off")
    assert (found["experience"], found["settings"]["switches"]["experience"]) == ("", False)


def test_a_store_that_is_named_and_cannot_be_used_is_told_before_the_run_begins(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.sqlite").write_text("no database, and no SQLite file at all " * 40)
    with pytest.raises(AssertionError, match=r"mine\.sqlite: the experience store cannot be used"):
        started(tmp_path, "--experience", "mine.sqlite")
    assert not (tmp_path / "out").exists()
