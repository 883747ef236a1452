"""The word lists of words.yaml, read once."""

from functools import lru_cache
from importlib.resources import files

import yaml
from pydantic import field_validator

from bot.base import Data


class Language(Data):
    """How a language shows: its files, its fences, its name in a sentence."""

    suffixes: frozenset[str]
    fences: frozenset[str]
    names: frozenset[str]

    @field_validator("suffixes", "fences", "names", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return frozenset(value.split()) if isinstance(value, str) else value


class Words(Data):
    """Word lists, lower case but for names of types and languages."""

    types: frozenset[str]
    weak_types: frozenset[str]
    not_calls: frozenset[str]
    plain_files: frozenset[str]
    dot_folders: frozenset[str]
    suffixes: frozenset[str]
    project_files: frozenset[str]
    dunder_variables: frozenset[str]
    use_labels: frozenset[str]
    inherit_labels: frozenset[str]
    python_types: dict[str, str]
    document_names: dict[str, frozenset[str]]
    form_labels: dict[str, str]
    languages: dict[str, Language]
    import_names: dict[str, frozenset[str]]

    @field_validator(
        "types",
        "weak_types",
        "not_calls",
        "plain_files",
        "dot_folders",
        "suffixes",
        "project_files",
        "dunder_variables",
        "use_labels",
        "inherit_labels",
        mode="before",
    )
    @classmethod
    def _split(cls, value: object) -> object:
        return frozenset(value.split()) if isinstance(value, str) else value

    @field_validator("document_names", "import_names", mode="before")
    @classmethod
    def _split_each(cls, value: object) -> object:
        split = cls._split
        return {k: split(v) for k, v in value.items()} if isinstance(value, dict) else value


@lru_cache(maxsize=1)
def words() -> Words:
    text = files("bot.spec").joinpath("words.yaml").read_text(encoding="utf-8")
    return Words.model_validate(yaml.safe_load(text))
