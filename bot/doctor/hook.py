"""Whether GitHub reaches the server: where it delivers, how that went, and a delivery right now."""

import time
from typing import Any
from urllib.parse import urlsplit

from bot.doctor.finding import Finding, Status, finding
from bot.forge.github.errors import Refused
from bot.forge.github.scout import AppReach

_NAME = "deliveries"
_PATH = "/webhook"
_LOOKED_AT = 50
_SECONDS = 12.0
_BETWEEN_LOOKS = 0.5
_REFUSED_SIGNATURE = 401


def examine_hook(reach: AppReach) -> list[Finding]:
    """No ping of an App's webhook can be asked for: the one that GitHub sent when the App was made
    is delivered again, where GitHub still has it.
    https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks
    """
    try:
        config = reach.hook()
    except Refused as refused:
        if refused.status != 404:
            raise
        return [finding(_NAME, Status.WARNING, "hook_none")]
    url = str(config.get("url") or "")
    if not url:
        return [finding(_NAME, Status.WARNING, "hook_none")]
    deliveries = reach.deliveries()
    last = _pinged(reach, deliveries) or next(iter(deliveries), None)
    return [*_odd(config, url), _outcome(url, last), *_failed(deliveries)]


def _odd(config: Any, url: str) -> list[Finding]:
    found = []
    if urlsplit(url).path.rstrip("/") != _PATH:
        found.append(finding("webhook address", Status.WARNING, "hook_path", url=url, path=_PATH))
    if str(config.get("insecure_ssl", "0")) == "1":
        found.append(finding("webhook address", Status.WARNING, "hook_insecure", url=url))
    return found


def _pinged(reach: AppReach, deliveries: tuple[Any, ...]) -> Any:
    """The ping delivered again, once it is known how that went; None where there is no ping."""
    ping = next((d for d in deliveries if d["event"] == "ping"), None)
    if ping is None:
        return None
    known = {d["id"] for d in deliveries}
    try:
        reach.redeliver(int(ping["id"]))
    except Refused:
        return None
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until:
        for delivery in reach.deliveries():
            fresh = delivery["guid"] == ping["guid"] and delivery["id"] not in known
            if fresh and delivery["status"] not in ("pending", "sent"):
                return delivery
        time.sleep(_BETWEEN_LOOKS)
    return None


def _outcome(url: str, last: Any) -> Finding:
    if last is None:
        return finding(_NAME, Status.SKIPPED, "hook_silent", url=url)
    status, code = last["status"], last["status_code"]
    if code == _REFUSED_SIGNATURE:
        return finding(_NAME, Status.FAIL, "hook_signature", url=url)
    if status == "OK":
        return finding(_NAME, Status.OK, "hook_ok", url=url, event=last["event"])
    return finding(_NAME, Status.WARNING, "hook_failed", url=url, status=status)


def _failed(deliveries: tuple[Any, ...]) -> list[Finding]:
    """Deliveries that failed and did not come through later."""
    looked = deliveries[:_LOOKED_AT]
    through = {d["guid"] for d in looked if d["status"] == "OK"}
    lost = {d["guid"] for d in looked if d["event"] != "ping"} - through
    if not lost:
        return []
    number = len(lost)
    return [
        finding("failed deliveries", Status.WARNING, "hook_lost", number=number, looked=len(looked))
    ]
