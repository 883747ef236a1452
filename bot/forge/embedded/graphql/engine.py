"""Runs a query against the store and answers as GitHub does."""

import logging
from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    GraphQLSyntaxError,
    OperationDefinitionNode,
    OperationType,
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


@dataclass(frozen=True)
class Request:
    """A query as it was read: a document, or what is wrong with it."""

    document: DocumentNode | None
    problems: tuple[GraphQLError, ...] = ()

    @property
    def creates(self) -> bool:
        """Whether there is a mutation in it."""
        definitions = self.document.definitions if self.document else ()
        return any(
            isinstance(one, OperationDefinitionNode) and one.operation is OperationType.MUTATION
            for one in definitions
        )


def read(query: str) -> Request:
    try:
        document = parse(query, max_tokens=_MOST_TOKENS)
    except GraphQLSyntaxError as error:
        return Request(None, (error,))
    return Request(document, tuple(validate(github_schema(), document, RULES)))


def answer(context: Context, asked: Request, variables: Json | None, name: str | None) -> Json:
    """The response body: `data`, and `errors` where there are some
    (https://spec.graphql.org/October2021/#sec-Response-Format)."""
    if asked.document is None or asked.problems:
        return {"errors": [_described(error) for error in asked.problems]}
    result = _execute(context, asked.document, variables, name)
    body: Json = {"data": result.data}
    if result.errors:
        body["errors"] = [_described(error) for error in result.errors]
    return body


def problem(message: str) -> Json:
    """The answer to what is no query at all."""
    return {"errors": [{"message": message}]}


def _execute(
    context: Context, document: DocumentNode, variables: Json | None, name: str | None
) -> ExecutionResult:
    result = execute(
        github_schema(),
        document,
        root_value=Root(context),
        variable_values=variables,
        operation_name=name,
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
