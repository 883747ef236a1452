"""The systemd unit, as systemd itself judges it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from deployed import DEPLOY

_UNIT = DEPLOY / "systemd/repowright.service"
_MOST_EXPOSED = 2.0

pytestmark = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    """But for the program, which this machine has elsewhere."""
    unit = tmp_path / "repowright.service"
    unit.write_text(_UNIT.read_text().replace("/opt/repowright/bin/repowright", "/bin/true"))
    done = _analyze("verify", str(unit))
    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_is_hardened() -> None:
    threshold = f"--threshold={_MOST_EXPOSED * 10:.0f}"
    done = _analyze("security", "--offline=true", "--no-pager", threshold, str(_UNIT))
    assert done.returncode == 0, done.stdout.splitlines()[-1]


def _analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *arguments], capture_output=True, text=True, check=False
    )
