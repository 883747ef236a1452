"""Which settings there are, by dotted path, and what a repository may do with each. Pure."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.base import Data
from bot.config import Repository

Path = tuple[str, ...]


class Setting(Data):
    """One setting of a settings class; `meaning` is its description, `default` its plain value."""

    path: Path
    meaning: str
    default: Any
    rule: Repository | None

    @property
    def name(self) -> str:
        return ".".join(self.path)


def settings_in(model: type[BaseModel], path: Path = ()) -> Iterator[tuple[Setting, FieldInfo]]:
    """Every setting of a class in the order of its fields; groups of settings are looked into."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _inside(inner, field, (*path, name))
            continue
        rules = [mark for mark in field.metadata if isinstance(mark, Repository)]
        default = field.get_default(call_default_factory=True)
        yield (
            Setting(
                path=(*path, name),
                meaning=" ".join((field.description or "").split()),
                default=default,
                rule=rules[0] if rules else None,
            ),
            field,
        )


def _inside(
    inner: type[BaseModel], field: FieldInfo, path: Path
) -> Iterator[tuple[Setting, FieldInfo]]:
    """The defaults of a group may be its own or those that the group is given as."""
    given = field.get_default(call_default_factory=True)
    for setting, leaf in settings_in(inner, path):
        value: Any = given
        for part in setting.path[len(path) :]:
            value = getattr(value, part)
        yield setting.model_copy(update={"default": value}), leaf
