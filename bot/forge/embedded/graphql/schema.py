"""The schema out of schema/*.graphql, bound to Python objects by naming convention alone."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from graphql import GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema
from graphql import build_schema as build

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@cache
def github_schema() -> GraphQLSchema:
    """The schema; its fields are those of https://docs.github.com/graphql/reference."""
    folder = files("bot.forge.embedded.graphql").joinpath("schema")
    texts = (entry.read_text("utf-8") for entry in folder.iterdir() if entry.is_file())
    return build("\n".join(sorted(texts)))


def resolve_field(source: Any, info: GraphQLResolveInfo, **arguments: Any) -> Any:
    """A field is the entry of a mapping, or the attribute or method whose name is the field's in
    snake case; arguments reach a method by name. A mutation takes its input alone."""
    if isinstance(source, Mapping):
        return _plain(source.get(info.field_name))
    name = snake(info.field_name)
    if info.parent_type.name == "Mutation":
        given = arguments["input"]
        payload = source.perform(name, given)
        return {**payload, "clientMutationId": given.get("clientMutationId")}
    value = getattr(source, name)
    if not callable(value):
        return _plain(value)
    return _plain(value(**{snake(name): argument for name, argument in arguments.items()}))


def resolve_type(value: Any, info: GraphQLResolveInfo, abstract: Any) -> str:
    """The classes of objects bear the names of their types."""
    return type(value).__name__


@cache
def snake(name: str) -> str:
    return _HUMP.sub("_", name).lower()


def object_types(schema: GraphQLSchema) -> list[GraphQLObjectType]:
    """The schema's own object types, without those of introspection."""
    types = (t for t in schema.type_map.values() if isinstance(t, GraphQLObjectType))
    return [t for t in types if not t.name.startswith("__")]


def _plain(value: Any) -> Any:
    """Times as GitHub writes them."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value
