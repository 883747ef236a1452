"""Patterns of branch and tag names, as Ruby's File.fnmatch reads them with FNM_PATHNAME.

https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/managing-a-branch-protection-rule#about-branch-protection-rules
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase


def matches(pattern: str, name: str) -> bool:
    """Whether a full name fits: `*` stays within one part, `**/` goes over parts."""
    return _fits(pattern.split("/"), name.split("/"))


def _fits(patterns: Sequence[str], parts: Sequence[str]) -> bool:
    if not patterns:
        return not parts
    first, *rest = patterns
    if first == "**" and rest:
        return any(_fits(rest, parts[skipped:]) for skipped in range(len(parts)))
    return bool(parts) and fnmatchcase(parts[0], first) and _fits(rest, parts[1:])
