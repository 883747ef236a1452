"""Fetches files that are not JSON: attachments that people name, and archives of Actions."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urljoin, urlsplit

import requests
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt
from tenacity.wait import wait_random_exponential

from bot.forge.github.client import GitHubClient
from bot.forge.github.errors import Refused
from bot.outgoing import GuardedAdapter, Unreachable, is_below, leads_inside
from bot.ports.forge import ForgeError, Transient

ATTACHMENT_LIMIT = 1 << 20
"""Bytes."""
ARCHIVE_LIMIT = 128 << 20
"""Bytes."""

_MOST_REDIRECTS = 5
_CHUNK = 1 << 16
_GONE = (404, 410)
_UNAUTHORIZED = 401
_LIMITED = (403, 429)
_LONGEST_REFUSAL = 1 << 16
# One host, printable ASCII, no user, no backslash: nothing that two parsers could read apart.
_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?/[!#-;=?-\[\]_a-z~%|]*")
# Dot segments are resolved on the way, after the address was judged.
_DOTS = re.compile(r"/(?:\.|%2e){1,2}(?:[/?#]|$)", re.IGNORECASE)
_TEXT = re.compile(
    r"text/(?!html)[a-z0-9.+-]+|application/(?:octet-stream|json|toml|(?:x-)?yaml|markdown)"
)


class Downloads:
    def __init__(self, client: GitHubClient) -> None:
        self._client = client
        self._session = requests.Session()
        # Anything but None keeps requests from sending what a .netrc file holds.
        self._session.auth = _no_auth
        self._session.headers["User-Agent"] = client.settings.user_agent
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, GuardedAdapter(self._may_be_private))

    def _may_be_private(self, host: str) -> bool:
        """A GitHub of one's own may stand in a network of one's own, with its stores; names below
        github.com never lead there."""
        own = urlsplit(self._client.repository.html_url).hostname or ""
        return leads_inside(own)

    def attachment(self, url: str) -> bytes:
        """A text file of at most 1 MiB, from the forge or from where it keeps attachments; each
        redirect is held to the same hosts."""
        return self._again(lambda: self._attachment(url))

    def archive(self, url: str) -> bytes | None:
        """A zip that the API redirects to; None where it is missing or has expired.

        https://docs.github.com/en/rest/actions/artifacts#download-an-artifact: the link that
        GitHub gives needs no credential and lives for a minute, on a host of GitHub's choice.
        """
        try:
            return self._again(lambda: self._archive(url))
        except Refused as refusal:
            if refusal.status in _GONE:
                return None
            raise

    def _attachment(self, url: str) -> bytes:
        for _ in range(_MOST_REDIRECTS):
            self._check_host(url)
            with self._get(url, trusted=self._may_open(url)) as answer:
                if not answer.is_redirect:
                    _check_kind(url, answer)
                    return _body(answer, ATTACHMENT_LIMIT, url)
                url = urljoin(url, answer.headers["location"])
        raise ForgeError("The attachment redirects in circles", where=_shown(url))

    def _archive(self, url: str) -> bytes:
        for _ in range(_MOST_REDIRECTS):
            with self._get(url, trusted=self._may_open(url)) as answer:
                if not answer.is_redirect:
                    return _body(answer, ARCHIVE_LIMIT, url)
                target = urljoin(url, answer.headers["location"])
            if urlsplit(url).scheme == "https" and urlsplit(target).scheme != "https":
                raise ForgeError("A download leads to an open connection", where=_shown(url))
            url = target
        raise ForgeError("A download redirects in circles", where=_shown(url))

    @contextmanager
    def _get(self, url: str, *, trusted: bool) -> Iterator[requests.Response]:
        try:
            with self._opened(url, trusted=trusted) as answer:
                if trusted:
                    self._heed(url, answer)
                _check_status(url, answer)
                yield answer
        except Unreachable as error:
            raise ForgeError(error.what, where=_shown(url), hint=error.hint) from None
        except requests.RequestException:
            raise Transient(
                "A download from GitHub broke off", where=_shown(url), hint="try again later"
            ) from None
        except ValueError:
            # The library reads a redirect's target even where it does not follow it.
            raise ForgeError("A download leads to no address", where=_shown(url)) from None

    def _opened(self, url: str, *, trusted: bool) -> requests.Response:
        """The answer; where the credential goes along, another one is tried after a 401."""
        if not trusted:
            return self._sent(url, {})
        self._client.transport.wait_to_read()
        token = self._client.token()
        answer = self._sent(url, {"Authorization": f"token {token}"})
        if answer.status_code != _UNAUTHORIZED or not self._client.renew(token):
            return answer
        answer.close()
        return self._sent(url, {"Authorization": f"token {self._client.token()}"})

    def _sent(self, url: str, headers: dict[str, str]) -> requests.Response:
        settings = self._client.settings
        return self._session.get(
            url,
            headers=headers,
            stream=True,
            allow_redirects=False,
            timeout=settings.timeout,
            verify=settings.verify,
        )

    def _heed(self, url: str, answer: requests.Response) -> None:
        """Rate limits hold for downloads, too, as far as GitHub itself answers them."""
        status = answer.status_code
        said = _body(answer, _LONGEST_REFUSAL, url) if status in _LIMITED else b""
        headers = {name.lower(): value for name, value in answer.headers.items()}
        limited = self._client.transport.heed((status, headers, said.decode("utf-8", "replace")))
        if limited is not None:
            raise Transient(limited.what, where=_shown(url), hint=limited.hint)

    def _again(self, call: Callable[[], bytes]) -> bytes:
        return Retrying(
            stop=stop_after_attempt(self._client.settings.read_attempts),
            wait=wait_random_exponential(multiplier=0.5, max=10),
            retry=retry_if_exception_type(Transient),
            sleep=self._client.clock.sleep,
            reraise=True,
        )(call)

    def _may_open(self, url: str) -> bool:
        """Whether the credential goes along. An issue can name any page of the forge, so only
        attachments and this repository's own pages and downloads get it: no other repository
        and no other answer of the API that the credential could open."""
        repository = self._client.repository
        web = urlsplit(repository.html_url)
        attachments = f"{web.scheme}://{web.netloc}/user-attachments"
        homes = (attachments, repository.html_url, f"{repository.url}/actions")
        return any(url.lower().startswith(f"{home.lower()}/") for home in homes)

    def _check_host(self, url: str) -> None:
        if not _PLAIN_URL.fullmatch(url) or _DOTS.search(url):
            raise ForgeError(f"{url[:200]!a} is not a plain web address")
        here = urlsplit(url)
        web = urlsplit(self._client.repository.html_url)
        host = (here.hostname or "").lower()
        ours = (here.scheme, here.port) == (web.scheme, web.port)
        safe = here.scheme == "https" and here.port in (None, 443)
        stores = self._client.settings.attachment_hosts
        if ours and is_below(host, (web.hostname or "").lower()):
            return
        if safe and any(is_below(host, store) for store in stores):
            return
        raise ForgeError(
            f"Attachments are read from GitHub alone, not from {host}",
            where=_shown(url),
            hint="attach the file to the issue or put it into the repository",
        )


def _check_status(url: str, answer: requests.Response) -> None:
    if answer.status_code >= 500 or answer.status_code == 429:
        raise Transient(
            f"A download from GitHub was answered with status {answer.status_code}",
            where=_shown(url),
        )
    if answer.status_code >= 400:
        raise Refused(
            answer.status_code,
            f"GitHub refused a download ({answer.status_code})",
            where=_shown(url),
            hint="check that the file exists and that the credential may see it",
        )


def _check_kind(url: str, answer: requests.Response) -> None:
    """A private attachment is answered with the sign-in page, a picture is no specification."""
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not _TEXT.fullmatch(kind):
        raise ForgeError(
            f"The attachment is not a text file ({kind or 'no type'})",
            where=_shown(url),
            hint="attach Markdown or plain text, or put the file into the repository",
        )


def _body(answer: requests.Response, limit: int, url: str) -> bytes:
    received = bytearray()
    for chunk in answer.iter_content(_CHUNK):
        received += chunk
        if len(received) > limit:
            raise ForgeError(
                f"The file is larger than {limit >> 20} MiB", where=_shown(url), hint="split it"
            )
    return bytes(received)


def _shown(url: str) -> str:
    """The address without its query, which can hold a signature that opens the file."""
    return urlsplit(url)._replace(query="", fragment="").geturl()[:300]


def _no_auth(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request
