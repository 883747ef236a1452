"""What an answer of GitHub says about its rate limits: pure functions over status, headers, body.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

import json
import re
from typing import Any

from bot.base import Data
from bot.forge.github.etags import Answer
from bot.forge.github.pace import EVERYTHING, date_of

# Digits of ASCII alone, as RFC 9110 has it, and no more of them than a time needs.
_DIGITS = re.compile(r"[0-9]{1,12}")
_SECONDARY = ("rate limit", "abuse detection", "retry your request again later")
# RATE_LIMITED and, of late, RATE_LIMIT.
_GRAPHQL_LIMITED = "RATE_LIMIT"


class Limit(Data):
    """A limit that is reached, for `seconds` more (None: GitHub does not say) and a `resource`.
    `refused` is false where the answer itself is good and only the next one would not be."""

    seconds: float | None
    resource: str = EVERYTHING
    refused: bool = True


def limit_of(answer: Answer, now: float) -> Limit | None:
    """The limit that an answer tells of, None where it tells of none; `now` is our time in
    seconds since 1970, for answers without a date.

    A refusal for a rate limit comes before anything is done, so that the same request, a write
    too, may be sent again afterwards.
    """
    status, headers, body = answer
    after = str(headers.get("retry-after", ""))
    by_graphql = status == 200 and _graphql_limited(headers, body)
    if (status in (403, 429, 503) or by_graphql) and _DIGITS.fullmatch(after):
        # What is answered 503 may have been done.
        return Limit(seconds=float(after), refused=status != 503)
    left = _until_reset(headers, now)
    if left is not None and (status in (403, 429) or by_graphql):
        return Limit(seconds=left, resource=_resource(headers))
    if status == 429 or by_graphql or (status == 403 and _is_secondary(body)):
        return Limit(seconds=None)
    if left is not None and status < 400:
        return Limit(seconds=left, resource=_resource(headers), refused=False)
    return None


def _until_reset(headers: dict[str, Any], now: float) -> float | None:
    """Seconds until the hour's quota is full again, None where there is some of it left. The
    reset is a time of GitHub's clock, and so is the answer's date."""
    reset = str(headers.get("x-ratelimit-reset", ""))
    if str(headers.get("x-ratelimit-remaining", "")) != "0" or not _DIGITS.fullmatch(reset):
        return None
    told = date_of(headers)
    return max(float(reset) - (now if told is None else told), 0.0) + 1.0


def _resource(headers: dict[str, Any]) -> str:
    return str(headers.get("x-ratelimit-resource", "core"))


def _is_secondary(body: str) -> bool:
    return _says_secondary(_table(body))


def _says_secondary(table: dict[str, Any]) -> bool:
    said = str(table.get("message", "")).lower()
    return any(phrase in said for phrase in _SECONDARY)


def _graphql_limited(headers: dict[str, Any], body: str) -> bool:
    """GraphQL answers 200 with an error in the body, for secondary limits too; those of GitHubs
    that count nothing else come without a resource."""
    if str(headers.get("x-ratelimit-resource", "graphql")) != "graphql" or '"errors"' not in body:
        return False
    errors = _table(body).get("errors")
    return isinstance(errors, list) and any(
        isinstance(error, dict)
        and (str(error.get("type", "")).startswith(_GRAPHQL_LIMITED) or _says_secondary(error))
        for error in errors
    )


def _table(body: str) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
