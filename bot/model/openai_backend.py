"""Any OpenAI-compatible server as the model, with retries and fallbacks by our own rules."""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx2
import openai
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from bot.config import EndpointSettings
from bot.model.attempt import AttemptFailed, Meter, unmetered
from bot.model.models import ModelTable, mapped, shipped_models
from bot.model.wire import chat_body, excerpt, may_be_repeated, read_completion
from bot.ports.model import ModelError, ModelReply, ModelRequest

_MOST_BYTES = 16 * 1024 * 1024
_MONEY_RAN_OUT = ("insufficient_quota", "billing", "credit_balance", "spend_limit", "usage_limit")
_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
_GAVE_UP_WAITING = (408, 504, 524)


class _AccountRefused(AttemptFailed):
    """The server will not serve this key or account: no other model will do better."""


class OpenAIBackend:
    """Chat completions from `settings.base_url`. Safe across threads.

    The library's own retries are off; each attempt goes through the meter. Retried with backoff,
    and as told by Retry-After: connection errors, timeouts, 408, 409, 429, 5xx and responses
    that cannot be read. When a model's attempts are used up, or it is refused (400, 403, 404),
    the next of `fallbacks` is asked.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        environ: Mapping[str, str],
        *,
        fallbacks: Iterable[str] = (),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        table: ModelTable | None = None,
    ) -> None:
        """Read the key from `environ`; raise ModelError where it should be there and is not."""
        self._settings = settings
        self._address = _address(settings.base_url)
        self._key = _key(settings, environ)
        self._fallbacks = tuple(fallbacks)
        self._clock = clock
        self._sleep = sleep
        self._table = table or shipped_models()
        self._client = openai.OpenAI(
            base_url=settings.base_url,
            api_key=self._key or "none",
            max_retries=0,
            timeout=openai.Timeout(settings.seconds, connect=settings.connect_seconds),
            # A redirect would take the documents to a host that nobody configured.
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )

    def complete(self, request: ModelRequest, meter: Meter = unmetered) -> ModelReply:
        """Return the first reply that any attempt brings; raise ModelError after the last."""
        models = (request.model, *(m for m in self._fallbacks if m != request.model))
        failures: list[str] = []
        hint = ""
        for model in models:
            try:
                return self._with_retries(request.model_copy(update={"model": model}), meter)
            except AttemptFailed as failure:
                failures.append(f"{model}: {failure.what}")
                hint = failure.hint
                if isinstance(failure, _AccountRefused):
                    break
        raise ModelError(
            f"the model did not answer the call for {request.step}: {'; '.join(failures)}",
            where=self._address,
            hint=hint or "resume the run once it does",
        )

    def close(self) -> None:
        self._client.close()

    def _with_retries(self, request: ModelRequest, meter: Meter) -> ModelReply:
        retrying = Retrying(
            retry=retry_if_exception(lambda e: isinstance(e, AttemptFailed) and e.retryable),
            stop=stop_after_attempt(self._settings.attempts),
            wait=self._pause,
            sleep=self._sleep,
            reraise=True,
        )
        return retrying(meter, request, lambda seconds: self._attempt(request, seconds))

    def _pause(self, state: RetryCallState) -> float:
        """As long as the server says, else growing with each attempt; never beyond the limit."""
        failure = state.outcome.exception() if state.outcome else None
        longest = self._settings.longest_wait
        if isinstance(failure, AttemptFailed) and failure.wait is not None:
            return min(failure.wait, longest)
        backoff = wait_exponential_jitter(self._settings.first_wait, longest, jitter=0.5)
        return min(backoff(state), longest)

    def _attempt(self, request: ModelRequest, seconds: float) -> ModelReply:
        began = self._clock()
        limit = max(min(seconds, self._settings.seconds), 0.001)
        try:
            text = self._post(request, limit)
        except openai.APIStatusError as error:
            raise self._status_failure(error) from None
        except (openai.APIConnectionError, httpx2.RequestError) as error:
            raise self._connection_failure(error.__cause__ or error, limit) from None
        return read_completion(self._scrub(text), request, self._clock() - began)

    def _post(self, request: ModelRequest, limit: float) -> str:
        """The body of the response, read in pieces, so that neither a server that trickles (some
        send blank lines while they think) nor one that never ends can hold the run.

        A server that falls silent after its first byte is left at the latest after twice `limit`
        seconds.
        """
        family = self._table.family(mapped(request.model, self._settings.accepts_as))
        body = chat_body(request, family, self._settings.reasoning_effort)
        deadline = self._clock() + limit
        connect = min(limit, self._settings.connect_seconds)
        timeout = openai.Timeout(limit, connect=connect)
        completions = self._client.chat.completions.with_streaming_response
        content = bytearray()
        with completions.create(**body, timeout=timeout) as response:
            for piece in response.iter_bytes():
                content += piece
                if len(content) > _MOST_BYTES:
                    raise AttemptFailed("the response is longer than 16 MiB", billed=True)
                if self._clock() > deadline:
                    raise _timeout(limit, billed=True)
        return content.decode("utf-8", "replace")

    def _status_failure(self, error: openai.APIStatusError) -> AttemptFailed:
        """https://developers.openai.com/api/docs/guides/error-codes"""
        status = error.status_code
        says = self._scrub(excerpt(_message(error)))
        what = f"the server answered {status}: {says}" if says else f"the server answered {status}"
        if status in (401, 402) or _money_ran_out(error):
            return _AccountRefused(what, hint=f"check the key in {self._settings.api_key_env}")
        wait = _retry_after(error.response.headers)
        patient = wait is None or wait <= self._settings.longest_wait
        if not patient:
            what = f"{what} (it asks to wait {wait:g} seconds)"
        return AttemptFailed(
            what,
            retryable=may_be_repeated(status) and patient,
            wait=wait,
            billed=status in _GAVE_UP_WAITING,
        )

    def _connection_failure(self, cause: BaseException, limit: float) -> AttemptFailed:
        sent = not isinstance(cause, _NEVER_SENT)
        if isinstance(cause, httpx2.TimeoutException) and sent:
            return _timeout(limit, billed=True)
        says = self._scrub(excerpt(str(cause))) or type(cause).__name__
        return AttemptFailed(f"the connection failed: {says}", retryable=True, billed=sent)

    def _scrub(self, text: str) -> str:
        """Without the key, whoever sent it back."""
        return text.replace(self._key, "[key]") if self._key else text


def _key(settings: EndpointSettings, environ: Mapping[str, str]) -> str:
    if not settings.api_key_env:
        return ""
    key = environ.get(settings.api_key_env, "").strip()
    if not key:
        raise ModelError(
            f"the environment variable {settings.api_key_env} holds no key",
            where=_address(settings.base_url),
            hint="set it, or set endpoint.api_key_env to an empty text for a server without keys",
        )
    if not re.fullmatch(r"[!-~]+", key):
        raise ModelError(
            f"the key in {settings.api_key_env} holds characters that no HTTP header may hold",
            hint="copy it again",
        )
    return key


def _address(base_url: str) -> str:
    """The address as a message may show it: without user and password."""
    url = urlsplit(base_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ModelError(
            "the base URL of the model is not an http or https address",
            hint="set endpoint.base_url, such as https://api.openai.com/v1",
        )
    return url._replace(netloc=url.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _message(error: openai.APIStatusError) -> str:
    """What the server says about an error, without the beginnings of keys that some repeat."""
    body = error.body
    said = body.get("message") if isinstance(body, dict) else body
    text = said if isinstance(said, str) else error.response.text
    return re.sub(r"\b(sk-|xai-|gsk_|AIza)[\w*.-]+", "[key]", text)


def _money_ran_out(error: openai.APIStatusError) -> bool:
    """Whether a 429 means an empty account rather than too many requests."""
    said = f"{error.type or ''} {error.code or ''}"
    return any(word in said for word in _MONEY_RAN_OUT)


def _timeout(limit: float, *, billed: bool) -> AttemptFailed:
    return AttemptFailed(
        f"no complete reply within {limit:g} seconds", retryable=True, billed=billed
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the server says: `retry-after-ms`, or Retry-After as seconds or as a
    date (RFC 9110, 10.2.3)."""
    milliseconds, text = headers.get("retry-after-ms", ""), headers.get("retry-after", "")
    if re.fullmatch(r"\d{1,9}", milliseconds):
        return int(milliseconds) / 1000
    if re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    if when.tzinfo is None:
        return None
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)
