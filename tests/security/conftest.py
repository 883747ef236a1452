"""What the attacks share: a sandbox, and a project whose check tests run in it."""

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from bot.checks.environment import Environment
from bot.checks.report import Report
from bot.checks.runner import CheckJob, check
from bot.checks.sandbox import Bubblewrap
from bot.ports.sandbox import Sandbox, SandboxJob, SandboxMissing

Check = Callable[[dict[str, str]], Report]


@pytest.fixture
def sandbox() -> Sandbox:
    bubblewrap = Bubblewrap()
    try:
        bubblewrap.run(SandboxJob(argv=("/bin/true",), workdir=Path("/")))
    except SandboxMissing as error:
        pytest.skip(str(error))
    return bubblewrap


@pytest.fixture
def checked(sandbox: Sandbox, tmp_path: Path) -> Check:
    """Write files, run the check tests, return the report."""
    root = tmp_path / "project"

    def run(files: dict[str, str]) -> Report:
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text))
        job = CheckJob(
            root=root,
            environment=Environment.at(Path(sys.prefix)),
            test_seconds=20,
            total_seconds=60,
        )
        return check(job, sandbox)

    return run
