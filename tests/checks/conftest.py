"""What the tests of the checks share: a sandbox, or a reason why there is none."""

from pathlib import Path

import pytest

from bot.checks.sandbox import Bubblewrap
from bot.ports.sandbox import Sandbox, SandboxJob, SandboxMissing


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    bubblewrap = Bubblewrap()
    try:
        bubblewrap.run(SandboxJob(argv=("/bin/true",), workdir=Path("/")))
    except SandboxMissing as error:
        pytest.skip(str(error))
    return bubblewrap
