"""The files of `deploy/`, read by the programs that would read them in earnest."""

import json
import subprocess
from typing import Any

import pytest
import yaml
from deployed import DEPLOY, tool


@pytest.fixture(scope="session")
def compose() -> dict[str, Any]:
    """compose.yaml as Docker Compose understands it."""
    done = subprocess.run(
        [tool("docker-compose"), "--file", DEPLOY / "compose.yaml", "config", "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr, "Compose warns of something"
    read: dict[str, Any] = json.loads(done.stdout)
    return read


@pytest.fixture(scope="session", params=["base", "example"])
def cluster(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """What kubectl would apply."""
    folder = DEPLOY / "kubernetes" / request.param
    done = subprocess.run(
        [tool("kubectl"), "kustomize", folder], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))
