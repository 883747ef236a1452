"""Runs a query against the store and answers as GitHub does."""

import logging
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    GraphQLSyntaxError,
    execute,
    parse,
    validate,
)

from bot.forge.embedded.graphql.mutations import Mutation
from bot.forge.embedded.graphql.nodes import Context
from bot.forge.embedded.graphql.query import Query
from bot.forge.embedded.graphql.schema import github_schema, resolve_field, resolve_type
from bot.forge.embedded.graphql.validation import RULES
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Json

_MOST_TOKENS = 20_000
_TYPES = {401: "FORBIDDEN", 403: "FORBIDDEN", 404: "NOT_FOUND"}
_log = logging.getLogger(__name__)


class Root(Query, Mutation):
    """What both queries and mutations start from."""


def run(context: Context, query: str, variables: Json | None, operation: str | None) -> Json:
    """The response body: `data`, and `errors` where there are some
    (https://spec.graphql.org/October2021/#sec-Response-Format)."""
    try:
        document = parse(query, max_tokens=_MOST_TOKENS)
    except GraphQLSyntaxError as error:
        return {"errors": [_described(error)]}
    problems = validate(github_schema(), document, RULES)
    if problems:
        return {"errors": [_described(problem) for problem in problems]}
    result = _execute(context, document, variables, operation)
    body: Json = {"data": result.data}
    if result.errors:
        body["errors"] = [_described(error) for error in result.errors]
    return body


def _execute(
    context: Context, document: DocumentNode, variables: Json | None, operation: str | None
) -> ExecutionResult:
    result = execute(
        github_schema(),
        document,
        root_value=Root(context),
        variable_values=variables,
        operation_name=operation,
        field_resolver=resolve_field,
        type_resolver=resolve_type,
    )
    if not isinstance(result, ExecutionResult):
        raise TypeError("the schema has no asynchronous fields")
    return result


def _described(error: GraphQLError) -> Json:
    """A refusal bears its kind and GitHub's sentence; a fault of ours goes to the log alone."""
    described: Json = dict(error.formatted)
    cause = error.original_error
    if isinstance(cause, Refused):
        described["type"] = _TYPES.get(cause.status, "UNPROCESSABLE")
        described["message"] = _sentence(cause)
    elif cause is not None and not isinstance(cause, GraphQLError):
        _log.error("GraphQL field failed at %s", error.path, exc_info=cause)
        described["message"] = "Something went wrong while executing your query."
    return described


def _sentence(refused: Refused) -> str:
    """The details where there are some: GraphQL does not say "Validation Failed"."""
    details: list[Any] = refused.errors or []
    texts = [d if isinstance(d, str) else d.get("message", "") for d in details]
    return ", ".join(filter(None, texts)) or refused.text
