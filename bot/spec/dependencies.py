"""Runtime requirements that a PRD states under a heading of its own."""

import re
from collections.abc import Iterable

from packaging.requirements import InvalidRequirement, Requirement

from bot.spec.model import DocumentKind, Section

_HEADING = re.compile(
    r"^(?:(?:core|runtime|required|main|external|python|third[- ]party|package)\s+)*"
    r"(?:dependencies|requirements|packages|libraries)\s*:?$",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"^\s*[-*+]\s+(?:`(?P<code>[^`]+)`|\*\*(?P<bold>[^*]+)\*\*(?:\s*\((?P<version>[^)]*)\))?)"
    r"(?P<rest>.*)$"
)
_NOT_ALWAYS = re.compile(
    r"\b(?:optional|windows|only on|development|testing|no|none)\b", re.IGNORECASE
)
_TOOLS = frozenset({"python", "pip", "pytest", "setuptools", "wheel"})


def stated_requirements(sections: Iterable[Section]) -> tuple[str, ...]:
    """Requirement lines from the lists under headings such as "Dependencies" of the PRD; what is
    optional, a tool for development, or no valid requirement (PEP 508) is left out."""
    found: dict[str, None] = {}
    for section in sections:
        if section.kind is DocumentKind.PRD and _HEADING.match(section.title.strip(" *#")):
            for line in section.text.splitlines():
                if requirement := _requirement(line):
                    found.setdefault(requirement)
    return tuple(found)


def _requirement(line: str) -> str:
    match = _ITEM.match(line)
    if match is None or _NOT_ALWAYS.search(line):
        return ""
    text = match["code"] or f"{match['bold']}{match['version'] or ''}"
    try:
        parsed = Requirement(text.strip())
    except InvalidRequirement:
        return ""
    usable = parsed.url is None and parsed.name.lower() not in _TOOLS
    return f"{parsed.name}{parsed.specifier}" if usable else ""
