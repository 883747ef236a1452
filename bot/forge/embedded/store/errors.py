"""Refusals: what GitHub answers instead of doing what was asked."""

from typing import Any


class Refused(Exception):
    """An answer other than success: the HTTP status and GitHub's error object.

    `errors` follows https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api;
    `docs` is the page that states the rule.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: list[Any] | None = None,
        docs: str = "https://docs.github.com/rest",
        headers: dict[str, str] | None = None,
    ) -> None:
        self.status = status
        self.message = message
        self.errors = errors
        self.docs = docs
        self.headers = headers or {}
        super().__init__(f"{status} {message}")

    @property
    def text(self) -> str:
        """Message and details on one line, as GraphQL and logs show them."""
        details = [e if isinstance(e, str) else e.get("message", "") for e in self.errors or []]
        return ": ".join([self.message, ", ".join(filter(None, details))]).removesuffix(": ")


def not_found() -> Refused:
    """Also what GitHub says about what the caller may not see."""
    return Refused(404, "Not Found")


def forbidden(message: str = "Resource not accessible by integration", docs: str = "") -> Refused:
    return Refused(403, message, docs=docs or "https://docs.github.com/rest")


def conflict(message: str, docs: str = "") -> Refused:
    return Refused(409, message, docs=docs or "https://docs.github.com/rest")


def invalid(resource: str, field: str, message: str = "", *, code: str = "custom") -> Refused:
    """Validation Failed with one error; codes: missing, missing_field, invalid, already_exists,
    unprocessable, custom."""
    error = {"resource": resource, "field": field, "code": code}
    if message:
        error["message"] = message
    return Refused(422, "Validation Failed", errors=[error])


def unprocessable(message: str, *, docs: str = "") -> Refused:
    """The form of 422 whose errors are plain sentences."""
    return Refused(
        422, "Unprocessable Entity", errors=[message], docs=docs or "https://docs.github.com/rest"
    )
