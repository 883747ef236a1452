"""What GitHub publishes, fetched once; a test that needs it skips where it cannot be had."""

import json
from pathlib import Path
from typing import Any

import pytest
from published import Example

from bot.base import RepowrightError
from bot.bench.api.packages import published


def _have(key: str) -> Path:
    try:
        return published(key)
    except RepowrightError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def examples() -> list[Example]:
    """Every example payload, of github.com and of two Enterprise Servers."""
    folder = _have("examples")
    found = []
    for index in sorted(folder.glob("*/index.json")):
        told: list[dict[str, Any]] = json.loads(index.read_text("utf-8"))
        for event in told:
            name = event["name"]
            found += [Example(index.parent.name, name, p) for p in event["examples"]]
    return found


@pytest.fixture(scope="session")
def webhook_names() -> list[str]:
    """The name of every event that GitHub describes."""
    told = json.loads((_have("webhooks") / "generated/api.github.com.json").read_text("utf-8"))
    found = {w["post"]["x-github"]["subcategory"] for w in told["webhooks"].values()}
    return sorted(name.replace("-", "_") for name in found)
