"""The sentences of the repair agenda, from their file."""

from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml


def tell(key: str, **values: object) -> str:
    """A sentence of `texts.yaml`; raise KeyError where a name is missing."""
    return _texts()[key].format(**values)


@cache
def _texts() -> Mapping[str, str]:
    source = resources.files("bot.checks.agenda").joinpath("texts.yaml").read_text("utf-8")
    table: dict[str, str] = yaml.safe_load(source)
    return table
