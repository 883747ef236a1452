"""Safe Markdown: the one place where text that others wrote becomes part of what the bot posts."""

from bot.markdown.blocks import details, fence, quote, table
from bot.markdown.limits import BODY_LIMIT, truncate
from bot.markdown.mentions import defuse, silence, unmention

__all__ = [
    "BODY_LIMIT",
    "defuse",
    "details",
    "fence",
    "quote",
    "silence",
    "table",
    "truncate",
    "unmention",
]
