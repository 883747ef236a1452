"""What is counted of the requests to GitHub."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.forge.github.credentials import AppKey, Credentials
from bot.ports.meter import Meter, RequestKind, Unmetered


@dataclass(frozen=True)
class Watch:
    """Tells a meter of one credential's requests; `account` is as in `account_of`."""

    meter: Meter = field(default_factory=Unmetered)
    account: str = ""

    def answered(
        self, kind: RequestKind, status: int, headers: Mapping[str, Any], seconds: float
    ) -> None:
        """A `read` or `write` ended so many seconds after it was sent; status 0 without an
        answer."""
        self.meter.request(kind, status, seconds)
        # https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#checking-the-status-of-your-rate-limit
        left = str(headers.get("x-ratelimit-remaining", ""))
        if left.isascii() and left.isdigit() and len(left) < 12:
            resource = str(headers.get("x-ratelimit-resource", "core"))
            self.meter.rate_limit(self.account, resource, int(left))

    def limited(self, seconds: float) -> None:
        self.meter.limited(seconds)

    def as_app(self) -> "Watch":
        """For the requests of the App itself, which have a quota of their own."""
        return Watch(self.meter, "app")


def account_of(credentials: Credentials) -> str:
    """Who a quota belongs to: the number of the installation, or `token`."""
    if isinstance(credentials, AppKey):
        return str(credentials.installation_id)
    return "token"
