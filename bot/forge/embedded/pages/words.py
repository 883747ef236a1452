"""How the pages say numbers, times, states and events; pure functions, used as template filters."""

import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.forge.embedded.store.rows import Review, TimelineEvent

_TONES = {
    "success": "good",
    "failure": "bad",
    "error": "bad",
    "timed_out": "bad",
    "startup_failure": "bad",
    "cancelled": "idle",
    "neutral": "idle",
    "skipped": "idle",
    "stale": "idle",
    "action_required": "warn",
}
_WORDS = {
    "success": "passed",
    "failure": "failed",
    "error": "failed",
    "timed_out": "timed out",
    "startup_failure": "did not start",
    "action_required": "needs you",
    "in_progress": "running",
    "pending": "waiting",
}
_EVENTS = {
    "closed": "closed this",
    "reopened": "opened this again",
    "locked": "locked the conversation",
    "unlocked": "unlocked the conversation",
    "merged": "merged this",
    "ready_for_review": "took this out of draft",
    "convert_to_draft": "made this a draft",
    "review_dismissed": "dismissed a review",
}
_REVIEWS = {
    "APPROVED": ("approved", "good"),
    "CHANGES_REQUESTED": ("changes requested", "bad"),
    "DISMISSED": ("dismissed", "idle"),
    "PENDING": ("not sent yet", "warn"),
}
_STEPS = ((60, "second", 1), (3600, "minute", 60), (86_400, "hour", 3600), (864_000, "day", 86_400))


def ago(time: datetime, now: datetime | None = None) -> str:
    """Such as "3 minutes ago"; a date once it is more than ten days past."""
    seconds = ((now or datetime.now(UTC)) - time).total_seconds()
    if seconds < 10:
        return "just now"
    for limit, unit, size in _STEPS:
        if seconds < limit:
            return f"{count_of(int(seconds // size), unit)} ago"
    return f"on {time.day} {time:%B %Y}"


def moment(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def duration(start: datetime | None, end: datetime | None) -> str:
    """Empty while something has not ended."""
    if start is None or end is None:
        return ""
    whole = max(timedelta(), end - start)
    minutes, seconds = divmod(int(whole.total_seconds()), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def took(row: Any) -> str:
    """How long a check run or job lasted."""
    return duration(row.started_at, row.completed_at)


def count_of(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(number: int) -> str:
    """A number of bytes, for people."""
    if number < 1024:
        return count_of(number, "byte")
    unit = 1 + (number >= 1024**2) + (number >= 1024**3)
    return f"{number / 1024**unit:.1f} {('KiB', 'MiB', 'GiB')[unit - 1]}"


def outcome_tone(state: str) -> str:
    return _TONES.get(state, "warn")


def outcome_word(state: str) -> str:
    return _WORDS.get(state, state.replace("_", " "))


def verdict(review: Review, judged: str = "") -> tuple[str, str]:
    """What a review decided and the tone of it. A bot that may not decide on its own pull request
    says its verdict in a check run, which is `judged`: pass, revise or broken."""
    if review.state == "COMMENTED" and judged:
        return judged, {"pass": "good", "revise": "warn"}.get(judged, "bad")
    return _REVIEWS.get(review.state, ("comment", "idle"))


def event_words(event: TimelineEvent) -> str:
    name = str(event.detail.get("label", {}).get("name", ""))
    rename = event.detail.get("rename", {})
    if event.event in ("labeled", "unlabeled"):
        return f"{'added' if event.event == 'labeled' else 'removed'} the label “{name}”"
    if event.event == "renamed" and rename:
        return f"renamed this from “{rename.get('from', '')}”"
    return _EVENTS.get(event.event, event.event.replace("_", " "))


def first_line(message: str) -> str:
    return message.split("\n", 1)[0][:200] or "(no message)"


def rest_of_message(message: str) -> str:
    return message.partition("\n")[2].strip()


def first_part(text: str) -> str:
    """`$0.42` of `$0.42 of $5.00`: what fits in large type."""
    return _parts(text)[0]


def later_part(text: str) -> str:
    return _parts(text)[1]


def _parts(text: str) -> tuple[str, str]:
    match = re.match(r"\s*((?:USD\s?)?[$€£]?\s?[\d.,]+(?:\s?(?:USD|usd))?)[\s,;·—-]*(.*)", text)
    return (match[1].strip(), match[2].strip(" ()")) if match else (text, "")


def short_ref(ref: str) -> str:
    return ref[:7] if re.fullmatch(r"[0-9a-f]{40}", ref) else ref


def file_anchor(path: str) -> str:
    return "diff-" + hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def hex_color(color: str) -> str:
    return color if re.fullmatch(r"[0-9a-fA-F]{6}", color) else "888888"
