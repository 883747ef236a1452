"""The recordings play again: prompts have not drifted from them, and they end green."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RECORDED = sorted(p.parent.name for p in EXAMPLES.glob("*/recording"))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_plays_to_the_end(name: str, tmp_path: Path) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    command = [sys.executable, "-m", "bot", "replay", str(EXAMPLES / name / "recording")]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "out"), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert (result["outcome"], done.returncode) == ("passed", 0), result["note"]
    calls = len(list((EXAMPLES / name / "recording" / "calls").glob("*.json")))
    assert result["calls"] == calls
    assert result["tests"]["failed"] == 0


def test_every_example_is_recorded() -> None:
    assert sorted(p.parent.name for p in EXAMPLES.glob("*/PRD.md")) == RECORDED


def test_the_demo_shows_a_failure_and_its_repair() -> None:
    steps = {p.name.split("-", 1)[1] for p in (EXAMPLES / "evensteven/recording/calls").iterdir()}
    assert any("repair" in step for step in steps)
