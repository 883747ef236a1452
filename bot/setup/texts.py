"""The sentences of the set-up, from their file; its pages are templates."""

from functools import cache
from importlib import resources
from typing import Any

import yaml


def tell(key: str, **values: Any) -> str:
    """A text of `texts.yaml`; raise KeyError where a name is missing."""
    return _texts()[key].format(**values)


@cache
def _texts() -> dict[str, str]:
    source = resources.files("bot.setup").joinpath("texts.yaml").read_text("utf-8")
    table: dict[str, str] = yaml.safe_load(source)
    return table
