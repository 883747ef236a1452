"""What GitHub publishes, fetched once; a test that needs it skips where it cannot be had."""

import json
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLSchema, build_schema
from published import Example

from bot.base import RepowrightError
from bot.bench.api.audit import descriptions
from bot.bench.api.deliveries import payload_description
from bot.bench.api.description import Description
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


@pytest.fixture(scope="session")
def described() -> tuple[Description, ...]:
    """What GitHub publishes of the APIs of github.com and of an Enterprise Server."""
    _have("openapi")
    return descriptions()


@pytest.fixture(scope="session")
def payloads_described() -> Description:
    _have("webhooks")
    return payload_description()


@pytest.fixture(scope="session")
def github_schema() -> GraphQLSchema:
    text = (_have("graphql") / "schema.graphql").read_text("utf-8")
    return build_schema(text, assume_valid=True)
