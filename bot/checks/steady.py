"""Takes out of a failure's text what differs from run to run, so that equal failures look equal."""

import re

# A path is given up after so many characters: without an end the search would take the square of
# the text's length.
_VARYING = (
    (re.compile(r"\b0x[0-9a-fA-F]{6,16}\b"), "0x..."),
    (re.compile(r"/[\w./-]{0,400}?/pytest-of-[^/\s'\"]+/pytest-\d+/"), "<tmp>/"),
    (re.compile(r"/[\w./-]{0,400}?/tmp[a-z0-9_]{8}\b"), "<tmp>"),
    (re.compile(r"/[\w./-]{0,400}?/site-packages/"), "site-packages/"),
    (re.compile(r"/[\w./-]{0,400}?/lib/python3\.\d+/"), "python/"),
    (re.compile(r"\b(in|took|after) \d+\.\d+ ?s\b"), r"\1 ... s"),
    (re.compile(r"(started(?: daemon)?) \d+"), r"\1 ..."),
    (re.compile(r"\b(pid[ =:]+)\d+", re.IGNORECASE), r"\1..."),
    (re.compile(r"\b(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)\.\d{6}\b"), "<time>"),
)


def steady(text: str, root: str = "") -> str:
    """`text` without memory addresses, temporary names, durations and the place `root` where the
    project happened to lie; values that hold it say `<project>`."""
    if root.rstrip("/"):
        text = _without_root(text, root.rstrip("/"))
    for pattern, stand_in in _VARYING:
        text = pattern.sub(stand_in, text)
    return text


def _without_root(text: str, root: str) -> str:
    """Paths at the beginning of a line become relative, as in a traceback; elsewhere a value may
    be a whole path, and must not look like a part of one."""
    relative = re.sub(rf"^((?:E\s+)?){re.escape(root)}/", r"\1", text, flags=re.MULTILINE)
    return re.sub(rf"{re.escape(root)}(?![\w.-])", "<project>", relative)


def cropped(text: str, longest: int) -> str:
    """Beginning and end of a text that is too long; the middle is named, not kept."""
    if len(text) <= longest:
        return text
    head, tail = longest // 3, longest - longest // 3
    left_out = len(text) - head - tail
    return f"{text[:head]}\n... {left_out} characters left out ...\n{text[-tail:]}"
