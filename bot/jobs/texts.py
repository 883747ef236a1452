"""Every sentence that a job says of itself, as data."""

from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml


def tell(key: str, **values: object) -> str:
    """One sentence; raise KeyError where it or one of its names is missing."""
    return _words()[key].format(**values)


@cache
def _words() -> Mapping[str, str]:
    text = resources.files("bot.jobs").joinpath("words.yaml").read_text("utf-8")
    found: dict[str, str] = yaml.safe_load(text)
    return found
