"""The eight tools by name, and what a person is told of each."""

from enum import StrEnum
from functools import cache
from importlib import resources

import yaml
from pydantic import TypeAdapter

from bot.base import Data


class ToolName(StrEnum):
    """Stable names, for the command line and for counts."""

    REQUIREMENTS = "requirement-access"
    SYMBOLS = "symbol-extractor"
    ARTIFACTS = "artifacts-retriever"
    SEARCH = "documentation-searcher"
    STRUCTURE = "structure-verifier"
    INTERFACES = "interface-verifier"
    MISSING_FILES = "missing-file-detector"
    COVERAGE = "skeleton-coverage-verifier"


class ToolEntry(Data):
    """One row of the table; `arguments` follow the folder on the command line."""

    name: ToolName
    title: str
    agents: str
    arguments: str
    does: str


@cache
def catalogue() -> tuple[ToolEntry, ...]:
    """The table, in the paper's order."""
    text = resources.files("bot.verify.tools").joinpath("catalogue.yaml").read_text("utf-8")
    return TypeAdapter(tuple[ToolEntry, ...]).validate_python(yaml.safe_load(text))
