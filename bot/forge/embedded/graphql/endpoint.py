"""POST /graphql, and /api/graphql as on Enterprise Server."""

from flask import Blueprint, Response, jsonify, request

from bot.forge.embedded.auth import authenticate
from bot.forge.embedded.graphql.engine import run
from bot.forge.embedded.graphql.nodes import MAKERS, Context
from bot.forge.embedded.rest.service import refusal
from bot.forge.embedded.shapes.base import Shapes
from bot.forge.embedded.store.errors import Refused

_DOCS = (
    "https://docs.github.com/graphql/guides/forming-calls-with-graphql#authenticating-with-graphql"
)


def blueprint(shapes: Shapes) -> Blueprint:
    views = Blueprint("graphql", __name__)

    @views.post("/graphql")
    @views.post("/api/graphql")
    def graphql() -> Response:
        actor = authenticate(request, shapes.store)
        if actor.account is None:
            raise Refused(401, "This endpoint requires you to be authenticated.", docs=_DOCS)
        context = Context(shapes, actor, MAKERS)
        response = jsonify(_answer(context))
        response.headers["X-GitHub-Media-Type"] = "github.v4; format=json"
        if actor.token is not None and actor.token.kind == "pat":
            response.headers["X-OAuth-Scopes"] = ", ".join(actor.token.scopes)
        return response

    views.register_error_handler(Refused, refusal)
    return views


def _answer(context: Context) -> object:
    body = request.get_json(force=True, silent=True)
    if not isinstance(body, dict):
        raise Refused(400, "Problems parsing JSON")
    query, variables = body.get("query"), body.get("variables")
    if not isinstance(query, str) or not query.strip():
        return {
            "errors": [{"message": "A query attribute must be specified and must be a string."}]
        }
    if variables is not None and not isinstance(variables, dict):
        return _problem("Variables must be an object.")
    operation = body.get("operationName")
    return run(context, query, variables, operation if isinstance(operation, str) else None)


def _problem(message: str) -> object:
    return {"errors": [{"message": message}]}
