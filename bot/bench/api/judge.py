"""Whether an exchange is as GitHub's description says: the request, and the answer."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Literal
from urllib.parse import parse_qsl

from bot.base import Data
from bot.bench.api.description import Description, Operation
from bot.bench.api.exchange import Exchange
from bot.bench.api.surplus import surplus

Part = Literal["request", "answer"]

# What any operation may answer, whether its own list says so or not.
# https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api
# https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
_ERROR = "/components/schemas/basic-error"
_INVALID = "/components/schemas/validation-error"
_SIMPLY_INVALID = "/components/schemas/validation-error-simple"
_ANYWHERE = {
    400: _ERROR,
    401: _ERROR,
    403: _ERROR,
    404: _ERROR,
    413: _ERROR,
    422: _INVALID,
    429: _ERROR,
}
_EMPTY_ANYWHERE = {304}
_MOVED = {301, 307}
_LINK = re.compile(r'<(?P<url>[^>]+)>; rel="(?:next|prev|first|last)"')
_TAG = re.compile(r'(W/)?"[^"]+"')
_COUNTS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-used", "x-ratelimit-reset")


class Mismatch(Data):
    """Where an exchange is not as described. `call` is the method and path of the operation, with
    the answer's status; `by` names the description."""

    by: str
    part: Part
    call: str
    what: str


def judge_request(exchange: Exchange, by: Description) -> list[Mismatch]:
    """What is wrong with a request: the address, its parameters, the body."""
    found = by.find(exchange.method, exchange.path)
    if found is None:
        call = f"{exchange.method} {exchange.path}"
        return [Mismatch(by=by.name, part="request", call=call, what="there is no such operation")]
    operation, given = found
    problems = [
        *_in_path(operation, given, by),
        *_in_query(operation, exchange, by),
        *_in_body(operation, exchange, by),
    ]
    return _told(problems, "request", exchange, operation, by)


def judge_answer(exchange: Exchange, by: Description) -> list[Mismatch]:
    """What is wrong with an answer: the status, the headers, the body. An operation that is not
    described may only say that it is not there."""
    found = by.find(exchange.method, exchange.path)
    if found is None:
        call = f"{exchange.method} {exchange.path} {exchange.status}"
        if exchange.status < 400 and exchange.status not in _MOVED:
            what = "answers, and there is no such operation"
            return [Mismatch(by=by.name, part="answer", call=call, what=what)]
        return []
    operation, _ = found
    problems = [*_of_status(operation, exchange, by), *_of_headers(exchange)]
    return _told(problems, "answer", exchange, operation, by)


def _told(
    problems: Iterable[str], part: Part, exchange: Exchange, operation: Operation, by: Description
) -> list[Mismatch]:
    call = f"{operation.method} {operation.path}"
    if part == "answer":
        call = f"{call} {exchange.status}"
    return [Mismatch(by=by.name, part=part, call=call, what=what) for what in problems]


# Requests


def _in_path(operation: Operation, given: dict[str, str], by: Description) -> Iterator[str]:
    for name, text in given.items():
        pointer = operation.parameters.get(("path", name))
        if pointer is None:
            yield f"path parameter {name} is not described"
        else:
            yield from _of_text(pointer, name, text, by)


def _in_query(operation: Operation, exchange: Exchange, by: Description) -> Iterator[str]:
    given = dict(parse_qsl(exchange.query, keep_blank_values=True))
    for name, text in given.items():
        pointer = operation.parameters.get(("query", name))
        if pointer is None:
            yield f"query parameter {name} is not described"
        else:
            yield from _of_text(pointer, name, text, by)
    for (place, name), pointer in operation.parameters.items():
        if place == "query" and by.at(pointer).get("required") and name not in given:
            yield f"query parameter {name} is missing"


def _of_text(pointer: str, name: str, text: str, by: Description) -> Iterator[str]:
    """A parameter is text in the address; it is read as what its schema may be."""
    schema = f"{pointer}/schema"
    faults = by.faults(schema, text)
    for read in (_number, _truth):
        value = read(text)
        if faults and value is not None:
            faults = by.faults(schema, value)
    yield from (f"parameter {name}: {fault}" for fault in faults)


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else None


def _truth(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text)


def _in_body(operation: Operation, exchange: Exchange, by: Description) -> Iterator[str]:
    if operation.body is None:
        if exchange.sent not in (b"", b"{}", b"null"):
            yield "there is a body, and none is described"
        return
    told = by.at(operation.body)
    if not exchange.sent:
        if told.get("required"):
            yield "the body is missing"
        return
    if "application/json" not in told["content"]:
        return
    try:
        value = json.loads(exchange.sent)
    except ValueError:
        yield "the body is no JSON"
        return
    schema = f"{operation.body}/content/application~1json/schema"
    yield from (f"body: {fault}" for fault in by.faults(schema, value))
    yield from (f"body: {name} is not described" for name in surplus(schema, value, by))


# Answers


def _of_status(operation: Operation, exchange: Exchange, by: Description) -> Iterator[str]:
    pointer = operation.answers.get(exchange.status)
    content = by.at(pointer).get("content", {}) if pointer is not None else {}
    if pointer is not None and (content or exchange.status < 400):
        yield from _of_body(content, f"{pointer}/content", exchange, by)
        return
    if exchange.status in _EMPTY_ANYWHERE:
        if exchange.body:
            yield "there is a body"
        return
    if exchange.status in _MOVED:
        if "location" not in exchange.headers:
            yield "there is no Location"
        return
    schema = _ANYWHERE.get(exchange.status) or (_ERROR if pointer is not None else None)
    if schema is None:
        yield "the status is not described"
        return
    yield from _of_error(schema, exchange, by)


def _of_error(schema: str, exchange: Exchange, by: Description) -> Iterator[str]:
    value = _json(exchange)
    if value is None:
        yield "the error is no JSON"
        return
    faults = by.faults(schema, value)
    if faults and schema == _INVALID:
        faults = by.faults(_SIMPLY_INVALID, value)
    yield from faults


def _of_body(content: Any, pointer: str, exchange: Exchange, by: Description) -> Iterator[str]:
    if not content:
        if exchange.body:
            yield "there is a body, and none is described"
        return
    kind = exchange.headers.get("content-type", "").partition(";")[0]
    if kind != "application/json":
        if kind not in content and not _is_asked_for(kind, exchange):
            yield f"the body is {kind or 'of no type'}"
        return
    value = _json(exchange)
    if value is None and exchange.body != b"null":
        yield "the body is no JSON"
        return
    if exchange.status == 422:
        yield from _of_error(_INVALID, exchange, by)
        return
    # Every error may hold what basic-error does, whatever else its operation says.
    judge = by.faults if exchange.status >= 400 else partial(_whole, by=by)
    schemas = [
        f"{pointer}/{key.replace('/', '~1')}/schema"
        for key in content
        if key.endswith("json") or key.startswith("application/vnd.github")
    ]
    each = [judge(schema, value) for schema in schemas]
    yield from min(each, key=len, default=[])


def _whole(schema: str, value: Any, by: Description) -> list[str]:
    """Faults by the schema, and what it does not describe at all."""
    unknown = [f"{name} is not described" for name in surplus(schema, value, by)]
    return [*by.faults(schema, value), *unknown]


def _of_headers(exchange: Exchange) -> Iterator[str]:
    # https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    headers = exchange.headers
    for name in _COUNTS:
        if not headers.get(name, "").isdecimal():
            yield f"header {name} is no number"
    # https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api
    for link in filter(None, headers.get("link", "").split(", ")):
        if _LINK.fullmatch(link) is None:
            yield f"header link: {link}"
    if exchange.status in (302, *_MOVED) and not headers.get("location", "").startswith("http"):
        yield "header location is no address"
    for name in ("x-github-request-id", "x-github-media-type"):
        if not headers.get(name):
            yield f"header {name} is missing"
    tagged = exchange.method == "GET" and exchange.status == 200 and _is_json(exchange)
    if tagged and not _TAG.fullmatch(headers.get("etag", "")):
        yield "header etag is no tag"


def _is_json(exchange: Exchange) -> bool:
    return exchange.headers.get("content-type", "").startswith("application/json")


def _is_asked_for(kind: str, exchange: Exchange) -> bool:
    # https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types
    asked = exchange.sent_headers.get("accept", "")
    return kind.startswith("application/vnd.github.") and kind in asked


def _json(exchange: Exchange) -> Any:
    try:
        return json.loads(exchange.body) if _is_json(exchange) else None
    except ValueError:
        return None
