"""Which GitHub, and which addresses it has. Pure."""

import re
from urllib.parse import quote, urlsplit

from bot.base import Data, RepowrightError

GITHUB = "https://github.com"
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}|[0-9A-Fa-f:.]{2,45}")


class GitHubPlace(Data):
    """One GitHub: `web` is the base of its pages, `api` that of its API, without a last slash."""

    web: str
    api: str

    def registration(self, organisation: str) -> str:
        """Where a manifest is posted; "" registers for the person's own account.
        https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
        """
        owner = f"organizations/{quote(organisation, safe='')}/" if organisation else ""
        return f"{self.web}/{owner}settings/apps/new"


def place_of(base: str) -> GitHubPlace:
    """The GitHub at a base address; raise RepowrightError where that is none.

    An Enterprise Server has its API below `/api/v3`, github.com and ghe.com on a host of its own.
    https://docs.github.com/en/enterprise-server@latest/rest/using-the-rest-api/getting-started-with-the-rest-api
    """
    web = origin(base or GITHUB)
    host = urlsplit(web).hostname or ""
    if web == GITHUB:
        return GitHubPlace(web=web, api="https://api.github.com")
    if _is_ghe_com(web):
        return GitHubPlace(web=web, api=f"https://api.{host}")
    return GitHubPlace(web=web, api=f"{web}/api/v3")


def web_of(api: str) -> str:
    """The base of the pages that belong to a base of the API."""
    parts = urlsplit(api)
    host = parts.netloc
    if host == "api.github.com" or host.endswith(".ghe.com"):
        host = host.removeprefix("api.")
    return f"{parts.scheme}://{host}"


def origin(address: str) -> str:
    """Scheme, host and port of a base address; raise RepowrightError where it has more, or is not
    https (which a machine's own addresses need not be)."""
    text = address.strip().rstrip("/")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise RepowrightError(f"`{text[:100]}` is no address") from error
    scheme = parts.scheme.lower()
    if scheme not in ("https", "http") or not _HOST.fullmatch(host) or parts.username is not None:
        raise RepowrightError(f"`{text[:100]}` is no address like `https://HOST`")
    if parts.path or parts.query or parts.fragment:
        raise RepowrightError("write scheme and host alone, without a path")
    if scheme == "http" and not is_loopback(host):
        raise RepowrightError("use https: what is sent there is secret")
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" + (f":{port}" if port else "")


def is_loopback(host: str) -> bool:
    return host in _LOOPBACK


def is_login(text: str) -> bool:
    """https://docs.github.com/en/enterprise-server@latest/admin/managing-iam/iam-configuration-reference/username-considerations-for-external-authentication"""
    return _LOGIN.fullmatch(text) is not None


def _is_ghe_com(web: str) -> bool:
    return (urlsplit(web).hostname or "").endswith(".ghe.com")
