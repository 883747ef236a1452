"""POST /graphql, and /api/graphql as on Enterprise Server."""

from dataclasses import dataclass

from flask import Blueprint, Response, jsonify, request

from bot.forge.embedded.auth import authenticate
from bot.forge.embedded.graphql.engine import answer, problem, read
from bot.forge.embedded.graphql.nodes import MAKERS, Context
from bot.forge.embedded.limits import Quota, RateLimiter, quota_headers
from bot.forge.embedded.rest.service import refusal
from bot.forge.embedded.shapes.base import Shapes
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Json

_DOCS = (
    "https://docs.github.com/graphql/guides/forming-calls-with-graphql#authenticating-with-graphql"
)


@dataclass(frozen=True)
class Limiters:
    """`points` counts GraphQL requests alone; `content` is shared with the REST API, because what
    is created counts together.
    https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    """

    points: RateLimiter
    content: RateLimiter


def blueprint(shapes: Shapes, limiters: Limiters) -> Blueprint:
    views = Blueprint("graphql", __name__)

    @views.post("/graphql")
    @views.post("/api/graphql")
    def graphql() -> Response:
        actor = authenticate(request, shapes.store)
        if actor.account is None:
            raise Refused(401, "This endpoint requires you to be authenticated.", docs=_DOCS)
        address = request.remote_addr or ""
        try:
            quota = limiters.points.count(actor, address)
        except Refused as spent:
            body: Json = {"errors": [{"type": "RATE_LIMITED", "message": spent.message}]}
            return _response(body, actor, limiters.points.quota(actor, address))
        context = Context(shapes, actor, MAKERS, quota)
        return _response(_run(context, limiters.content, address), actor, quota)

    views.register_error_handler(Refused, refusal)
    return views


def _run(context: Context, content: RateLimiter, address: str) -> Json:
    body = request.get_json(force=True, silent=True)
    if not isinstance(body, dict):
        raise Refused(400, "Problems parsing JSON")
    query, variables, name = (body.get(k) for k in ("query", "variables", "operationName"))
    if not isinstance(query, str) or not query.strip():
        return problem("A query attribute must be specified and must be a string.")
    if not isinstance(variables, dict | None) or not isinstance(name, str | None):
        return problem("Variables must be an object and operationName a string.")
    asked = read(query)
    if asked.creates:
        content.count_content(context.actor, address)
    return answer(context, asked, variables, name or None)


def _response(body: Json, actor: Actor, quota: Quota) -> Response:
    response = jsonify(body)
    response.headers["X-GitHub-Media-Type"] = "github.v4; format=json"
    if actor.token is not None and actor.token.kind == "pat":
        response.headers["X-OAuth-Scopes"] = ", ".join(actor.token.scopes)
    response.headers.update(quota_headers(quota) | {"X-RateLimit-Resource": "graphql"})
    return response
