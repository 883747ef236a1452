"""Safe Markdown: the one place where text that others wrote becomes part of what the bot posts."""

from bot.markdown.blocks import code, details, fence, quote, table
from bot.markdown.limits import BODY_LIMIT, truncate
from bot.markdown.mentions import defuse, line, silence, unmention
from bot.markdown.speech import spoken_lines

__all__ = [
    "BODY_LIMIT",
    "code",
    "defuse",
    "details",
    "fence",
    "line",
    "quote",
    "silence",
    "spoken_lines",
    "table",
    "truncate",
    "unmention",
]
