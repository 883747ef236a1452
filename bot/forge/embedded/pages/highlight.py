"""Colours code for people: text in, safe HTML lines out, bounded in size and in languages.

Only languages of the list below are coloured. Lexers are regular expressions written by many
hands, and the text is hostile: fewer lexers, and none on huge texts, keep a page from hanging.
"""

import re
from functools import cache

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

MAX_COLOURED = 200_000
"""Longest text, in characters, that is coloured; longer ones are shown plain."""

MAX_LINE = 2_000
"""Longest line, in characters, of a text that is coloured."""

LANGUAGES = frozenset(
    re.findall(
        r"\w+",
        "bash c console cpp css diff docker go html ini java javascript json kotlin make markdown"
        " pycon pytb python rst ruby rust sql toml typescript xml yaml",
    )
)

TOKEN_CLASSES = frozenset(name for name in STANDARD_TYPES.values() if name)

_FORMATTER = HtmlFormatter(nowrap=True)

_HIDDEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Characters that make code read differently from what it does (CVE-2021-42574)."""


def lines(text: str, *, path: str = "", language: str = "") -> list[Markup]:
    """The lines of a text as HTML, coloured by file name or language where it is known."""
    text = text.replace("\r\n", "\n")
    lexer = _lexer_for(path, language)
    html = highlight(text, lexer, _FORMATTER) if lexer and _fits(text) else str(escape(text))
    rows = html.split("\n")
    if len(rows) > 1 and not rows[-1]:
        rows.pop()
    return [Markup(_HIDDEN.sub(_shown, row)) for row in rows]  # noqa: S704 escaped above


def block(text: str, language: str) -> Markup:
    """A fenced block as one piece of HTML."""
    return Markup("\n").join(lines(text, language=language))


def _shown(match: re.Match[str]) -> str:
    name = f"U+{ord(match[0]):04X}"
    return f'<span class="hidden-char" title="hidden character">{name}</span>'


def _fits(text: str) -> bool:
    return len(text) <= MAX_COLOURED and max(map(len, text.split("\n"))) <= MAX_LINE


def _lexer_for(path: str, language: str) -> Lexer | None:
    try:
        if language:
            return _lexer(get_lexer_by_name(language).aliases[0])
        found = find_lexer_class_for_filename(path)
        return _lexer(found.aliases[0]) if found else None
    except ClassNotFound:
        return None


@cache
def _lexer(name: str) -> Lexer | None:
    if name not in LANGUAGES:
        return None
    return get_lexer_by_name(name, stripnl=False, ensurenl=False)
