"""Where the deployment files are, and the programs that read them."""

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DEPLOY = REPOSITORY / "deploy"


def tool(name: str) -> str:
    """A program of the test environment; they come as packages, so each is there."""
    return str(Path(sys.executable).with_name(name))
