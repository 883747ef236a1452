"""Keeps other web sites from posting in the maintainer's name.

Two independent locks: the browser must say that the form came from this very server, and the form
must carry a token bound to a cookie that only this server's pages can read.
https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html
"""

import hashlib
import hmac
import secrets

from flask import Request, Response

COOKIE = "forge_form"


class Forms:
    """Tokens end with the server process."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def token(self, request: Request) -> tuple[str, str | None]:
        """The token for the forms of a page, and the cookie to set where there is none."""
        cookie = request.cookies.get(COOKIE, "")
        if len(cookie) == 64:
            return self._sign(cookie), None
        fresh = secrets.token_hex(32)
        return self._sign(fresh), fresh

    def remember(self, response: Response, cookie: str) -> None:
        response.set_cookie(COOKIE, cookie, httponly=True, samesite="Strict")

    def accepts(self, request: Request) -> bool:
        """Whether a posted form comes from a page of this server."""
        expected = self._sign(request.cookies.get(COOKIE, ""))
        given = request.form.get("token", "")
        return _same_origin(request) and hmac.compare_digest(expected.encode(), given.encode())

    def _sign(self, cookie: str) -> str:
        return hmac.new(self._key, cookie.encode(), hashlib.sha256).hexdigest()


def _same_origin(request: Request) -> bool:
    origin = request.headers.get("Origin")
    if origin is not None:
        return origin == request.host_url.rstrip("/")
    return request.headers.get("Sec-Fetch-Site") == "same-origin"
