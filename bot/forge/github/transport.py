"""Every API request of the bot: PyGithub's requester with retries for reads alone.

PyGithub's own retry repeats POST after a server error, and it takes the 307 with which GitHub
answers a write to a renamed repository for a success; both end here.
"""

import json
import logging
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests
from github import GithubException
from github.Auth import Auth
from github.Requester import Requester
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt
from tenacity.wait import wait_random_exponential

from bot.base import Data
from bot.forge.github.errors import Refused, Unclear
from bot.forge.github.etags import Answer, ETags
from bot.forge.github.limits import limit_of
from bot.forge.github.pace import Clock, Pacer, TheirTime, limited_until
from bot.forge.github.refusals import refused
from bot.forge.github.request import READS, Request
from bot.forge.github.watch import Watch
from bot.markdown.mentions import clean
from bot.ports.forge import ForgeError, RateLimited, Transient
from bot.redaction import Redactor

_CREATING = ("POST", "PUT")
# https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
_REDIRECTS = (307, 308)
_MOST_REDIRECTS = 3
_UNAUTHORIZED = 401
_SERVER_ERROR = 500
_PAGE = 100
_ASKED: ContextVar[str] = ContextVar("asked", default="")

_HINTS = {
    401: "the credential is wrong, revoked or expired",
    403: "give the credential the permission that this needs",
    404: "check the name, and that the credential may see it",
    410: "it was deleted or is turned off for this repository",
}


class TransportSettings(Data):
    """`api_url` is the base of the API, such as `https://HOST/api/v3` of an Enterprise Server.
    Times in seconds; a rate limit that asks for more than `longest_wait` is the error RateLimited.
    `verify` is a path to a CA bundle where the system's is not right."""

    api_url: str
    timeout: int = 30
    read_attempts: int = 5
    refusals: int = 6
    longest_wait: float = 150.0
    verify: bool | str = True
    user_agent: str = "repowright"


class Renewal(NamedTuple):
    """What can be done about a 401: `renew` is told of the token that GitHub does not accept, and
    says whether to send the request once more, with another one; `advice` is for people where
    that does not help."""

    renew: Callable[[str], bool]
    advice: str


def last_request() -> str:
    """The request whose answer this thread got last, such as `GET /user`."""
    return _ASKED.get()


class _NotNow(Exception):
    """A request that may be sent again after `seconds`, or None for the usual back-off."""

    def __init__(self, error: ForgeError, seconds: float | None = None) -> None:
        super().__init__(error.what)
        self.error = error
        self.seconds = seconds


class Transport(Requester):
    """Raises Refused for an answer that says no, Unclear for a write without a usable answer,
    and ForgeError for a read that stays without one."""

    def __init__(
        self,
        auth: Auth,
        settings: TransportSettings,
        *,
        pacer: Pacer,
        clock: Clock,
        redactor: Redactor,
        time: TheirTime | None = None,
        renewal: Renewal | None = None,
        watch: Watch | None = None,
    ) -> None:
        """`time` learns GitHub's clock; a credential without `renewal` is what it is. `watch` is
        told of every request on the wire."""
        super().__init__(
            auth,
            settings.api_url.rstrip("/"),
            settings.timeout,
            settings.user_agent,
            _PAGE,
            settings.verify,
            None,
            None,
        )
        self._settings = settings
        self._pacer = pacer
        self._clock = clock
        self._redactor = redactor
        self._time = time or TheirTime(clock)
        self._renewal = renewal
        self._watch = watch or Watch()
        self._etags = ETags()

    @property
    def _logger(self) -> logging.Logger:
        """At level DEBUG PyGithub logs whole answers, also those that hold a new token."""
        logger = logging.getLogger(f"{__name__}.requests")
        logger.setLevel(logging.INFO)
        return logger

    def requestJson(
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, Any] | None = None,
        input: Any | None = None,
        cnx: Any = None,
        follow_302_redirect: bool = False,
    ) -> Answer:
        request = Request(verb, url, parameters, headers, input)
        send = self._read if request.is_read else self._write
        attempts = self._settings.read_attempts if request.is_read else self._settings.refusals
        try:
            return Retrying(
                stop=stop_after_attempt(attempts),
                wait=self._wait,
                retry=retry_if_exception_type(_NotNow),
                sleep=self._sleep,
                reraise=True,
            )(send, request)
        except _NotNow as given_up:
            raise given_up.error from None

    def requestJsonAndCheck(
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        input: Any | None = None,
        follow_302_redirect: bool = False,
    ) -> tuple[dict[str, Any], Any]:
        request = Request(verb, url, parameters, headers, input)
        name = request.name
        try:
            found, data = super().requestJsonAndCheck(verb, url, parameters, headers, input)
            if data is None and request.is_read:
                raise ValueError("nothing was answered")
        except GithubException as error:
            raise self._refused(name, error) from None
        except (ValueError, TypeError, RecursionError):
            kind = Transient if request.is_read else Unclear
            raise kind("The answer of the GitHub API cannot be read", where=name) from None
        except AssertionError:
            raise ForgeError(
                f"The API gives addresses of another host ({urlsplit(url).hostname})",
                where=name,
                hint="use the base URL under which GitHub knows itself",
            ) from None
        _ASKED.set(name)
        return found, data

    def graphql_query(
        self, query: str, variables: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        try:
            return super().graphql_query(query, variables)
        except GithubException as error:
            raise self._refused("GraphQL", error) from None

    def _read(self, request: Request) -> Answer:
        if request.verb not in READS:
            return self._asked(request)
        key = f"{request.url} {sorted((request.parameters or {}).items())}"
        conditional = {**(request.headers or {}), **self._etags.condition(key)}
        return self._etags.settle(key, self._asked(request._replace(headers=conditional)))

    def _asked(self, request: Request) -> Answer:
        self.wait_to_read(request.resource)
        try:
            answer = self._send(request)
        except requests.RequestException as error:
            raise _NotNow(self._unreachable(request, error)) from None
        self._stop_if_limited(answer)
        if answer[0] >= _SERVER_ERROR:
            raise _NotNow(self._server_error(request, answer))
        if not _is_json(answer):
            raise ForgeError(
                "The answer is not from the GitHub API",
                where=request.name,
                hint="check the API's base URL and any proxy in between",
            )
        return answer

    def _write(self, request: Request) -> Answer:
        for _ in range(_MOST_REDIRECTS):
            answer = self._write_once(request)
            if answer[0] not in _REDIRECTS:
                return answer
            request = request._replace(url=self._location(request, answer[1]))
        raise ForgeError("The API redirects a write in circles", where=request.name)

    def _write_once(self, request: Request) -> Answer:
        self._pacer.wait(
            longest=self._settings.longest_wait,
            creates=request.verb in _CREATING,
            resource=request.resource,
        )
        try:
            answer = self._send(request)
        except requests.RequestException as error:
            raise Unclear(self._unreachable(request, error).what, where=request.name) from None
        self._stop_if_limited(answer)
        if answer[0] >= _SERVER_ERROR or not _is_json(answer):
            raise Unclear(self._server_error(request, answer).what, where=request.name)
        return answer

    def _send(self, request: Request) -> Answer:
        """One request on the wire; once more where the token was none any longer: a request that
        is answered 401 was not carried out, a write neither."""
        answer, token = self._send_once(request)
        if answer[0] == _UNAUTHORIZED and self._renewal and self._renewal.renew(token):
            answer, _ = self._send_once(request)
        return answer

    def _send_once(self, request: Request) -> tuple[Answer, str]:
        """The answer, and the token that was sent. PyGithub tells a redirect to another host with
        RuntimeError, and follows those that end nowhere until the stack is full."""
        headers = dict(request.headers or {})
        began = self._clock.now()
        try:
            answer = super().requestJson(
                request.verb, request.url, request.parameters, headers, request.input
            )
        except RecursionError:
            raise ForgeError("The API redirects in circles", where=request.name) from None
        except RuntimeError as error:
            raise ForgeError(self._safe(str(error)), where=request.name) from None
        except requests.RequestException:
            self._watch.answered(request.kind, 0, {}, self._clock.now() - began)
            raise
        self._watch.answered(request.kind, answer[0], answer[1], self._clock.now() - began)
        self._time.see(answer[1])
        return answer, str(headers.get("Authorization", "")).rpartition(" ")[2]

    def heed(self, answer: Answer) -> RateLimited | None:
        """Hold back all requests of this credential as long as an answer asks; return the error
        where this one is to be sent again then, and raise it where that is too long to wait."""
        limit = limit_of(answer, self._clock.now())
        if limit is None:
            if answer[0] < _SERVER_ERROR:
                self._pacer.went_well()
            return None
        if limit.seconds is None:
            seconds = self._pacer.hold_untold()
        else:
            seconds = self._pacer.hold(limit.seconds, limit.resource)
        self._watch.limited(seconds)
        if not limit.refused:
            return None
        error = limited_until(self._clock.now() + seconds)
        if seconds > self._settings.longest_wait:
            raise error
        return error

    def wait_to_read(self, resource: str = "core") -> None:
        """Return when GitHub may be asked; raise RateLimited where that is too long to wait."""
        self._pacer.wait_to_read(longest=self._settings.longest_wait, resource=resource)

    def _stop_if_limited(self, answer: Answer) -> None:
        limited = self.heed(answer)
        if limited is not None:
            raise _NotNow(limited, 0.0)

    def _sleep(self, seconds: float) -> None:
        """What a limit asks for is waited in the pacer, with everybody else."""
        if seconds:
            self._clock.sleep(seconds)

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, _NotNow) and error.seconds is not None:
            return error.seconds
        return wait_random_exponential(multiplier=0.5, max=20)(state)

    def _location(self, request: Request, headers: Mapping[str, Any]) -> str:
        target = urlsplit(str(headers.get("location", "")))
        here = urlsplit(self._settings.api_url)
        if (target.scheme, target.netloc) != (here.scheme, here.netloc):
            raise ForgeError(
                f"The API redirects a write to another host ({target.hostname})",
                where=request.name,
                hint="check the API's base URL",
            )
        return target.geturl()

    def _unreachable(self, request: Request, error: Exception) -> Transient:
        return Transient(
            f"GitHub could not be reached: {self._safe(_reason(error))}",
            where=request.name,
            hint="check the network and the API's base URL",
        )

    def _server_error(self, request: Request, answer: Answer) -> Transient:
        return Transient(
            f"GitHub answered with status {answer[0]}",
            where=request.name,
            hint="see whether GitHub has an incident, and resume",
        )

    def _refused(self, name: str, error: GithubException) -> Refused:
        headers = error.headers or {}
        needed = headers.get("x-accepted-github-permissions", "")
        hint = _HINTS.get(error.status, "")
        if error.status == _UNAUTHORIZED and self._renewal:
            hint = self._renewal.advice
        if error.status == 403 and needed:
            hint = f"the credential needs {needed}"
        said = self._safe(_told(error.data))
        return refused(error.status, said, where=name, hint=hint)

    def _safe(self, text: str) -> str:
        return " ".join(clean(self._redactor.shown(text)).split())


def _is_json(answer: Answer) -> bool:
    status, headers, body = answer
    return status >= 300 or not body or "json" in str(headers.get("content-type", ""))


def _reason(error: Exception) -> str:
    """The innermost cause, without the object addresses that urllib3 puts around it."""
    text = str(error)
    if isinstance(error, requests.Timeout):
        return "no answer in time"
    if "Connection refused" in text:
        return "connection refused"
    if "Name or service not known" in text or "getaddrinfo" in text:
        return "the host name is not known"
    if isinstance(error, requests.exceptions.SSLError):
        return "the TLS certificate is not trusted"
    return "the connection broke"


def _told(data: Any) -> str:
    """What GitHub said, with the details of a validation error."""
    if not isinstance(data, dict):
        return "no reason given"
    parts = [str(data.get("message", ""))]
    for item in data.get("errors") or []:
        if isinstance(item, dict):
            fields = (item.get("field"), item.get("code"))
            parts.append(str(item.get("message") or " ".join(str(f) for f in fields if f)))
        else:
            parts.append(str(item))
    said = "; ".join(" ".join(part.split()) for part in parts if part.strip())
    return said[:500] or json.dumps(data)[:200]
