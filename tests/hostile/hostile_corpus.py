"""Reads the corpus of hostile inputs: one YAML file a channel, one entry an input."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

TOKEN = "s3cret-token-of-the-test"
CORPUS = Path(__file__).parent / "corpus"

Entry = dict[str, Any]


def entries(channel: str) -> list[Any]:
    """The entries of a channel as parameters of a test, by name."""
    found: list[Entry] = yaml.safe_load((CORPUS / f"{channel}.yaml").read_text("utf-8"))
    return [pytest.param(entry, id=entry["name"].replace(" ", "-")) for entry in found]


def text_of(entry: Entry, field: str = "text") -> str:
    """The input: as it stands, or made of a part that repeats."""
    if field in entry:
        return str(entry[field])
    text = entry.get("before", "") + entry["repeat"] * entry["times"] + entry.get("after", "")
    return text + (text_of(entry["again"]) if "again" in entry else "")


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """What is done here uses at most so much of a processor, whatever else the machine does."""
    began = time.process_time()
    yield
    assert time.process_time() - began < seconds
