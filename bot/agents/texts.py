"""Why an agent does not get what it asks for, from a text file."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml


def why(key: str, **values: str) -> str:
    """A sentence of `refusals.yaml`; raise KeyError where a name is missing."""
    return _texts()[key].format(**values)


@cache
def _texts() -> Mapping[str, str]:
    source = (files("bot.agents") / "refusals.yaml").read_text(encoding="utf-8")
    table: dict[str, str] = yaml.safe_load(source)
    return table
