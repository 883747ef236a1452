"""What the event of a job asks for."""

import json

from bot.config import Settings
from bot.jobs.context import JobContext
from bot.runs.events import Commanded, Event, Ignored, Labelled, Swept, Woken, event_of

_BY_TIME = ("schedule", "workflow_dispatch", "repository_dispatch")


def event_here(context: JobContext, settings: Settings) -> Event | Ignored:
    """The event as a webhook would bring it; by the clock or by hand the repository is looked over,
    or the one issue that is named in the input `issue`.
    https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
    """
    if context.event in _BY_TIME:
        issue = _issue_input(context.payload)
        if issue is None:
            return Swept(repository=context.repository, installation=0)
        return Woken(repository=context.repository, installation=0, issue=issue, why="asked")
    found = event_of({"x-github-event": context.event}, context.payload, settings)
    if isinstance(found, Labelled | Commanded | Woken | Swept | Ignored):
        return found
    return Ignored(why=f"`{context.event}` is no job's")


def _issue_input(payload: bytes) -> int | None:
    try:
        inputs = json.loads(payload).get("inputs") or {}
        text = str(inputs.get("issue", "")).strip().removeprefix("#")
    except (ValueError, AttributeError):
        return None
    return int(text) if text.isdecimal() and len(text) < 10 and int(text) else None
