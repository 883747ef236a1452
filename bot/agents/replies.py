"""Replies of a model, read strictly: files, edits, structure. Everything else is refused with a
sentence that tells the model, and a person, what to mend."""

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from bot.agents.plain_yaml import plain_yaml
from bot.base import Data, Outcome, RepowrightError

T = TypeVar("T")


class ReplyRejected(RepowrightError):
    """A reply that cannot be used; `what` is the sentence sent back to the model."""

    outcome = Outcome.MODEL_FAILED


class WholeFile(Data):
    path: str
    text: str


class Edit(Data):
    """Replace `find`, which must occur exactly once in the file, by `replace`."""

    path: str
    find: str
    replace: str


class Changes(Data):
    """What a reply wants to change, and the words before the first change."""

    explanation: str
    files: tuple[WholeFile, ...] = ()
    edits: tuple[Edit, ...] = ()


_OPENING = re.compile(r'^[ \t]*<(?P<tag>file|edit) path="(?P<path>[^"\n]+)">[ \t]*$', re.MULTILINE)
_BETWEEN = re.compile(r"</find>\s*<replace>")
_FENCE = "```"
_FENCE_OPENING = re.compile(r"```[\w+-]*[ \t]*\n")


def parse_changes(text: str) -> Changes:
    """Files and edits of a reply; raise ReplyRejected where a block is not closed."""
    text = text.replace("\r\n", "\n")
    files: list[WholeFile] = []
    edits: list[Edit] = []
    openings = list(_OPENING.finditer(text))
    ends = [*(m.start() for m in openings[1:]), len(text)]
    for start, end in zip(openings, ends, strict=False):
        tag, path = start.group("tag"), start.group("path")
        body = _body(text[start.end() : end], tag, path)
        if tag == "file":
            files.append(WholeFile(path=path, text=_source(body)))
        else:
            edits.append(_edit(path, body))
    return Changes(
        explanation=text[: openings[0].start() if openings else len(text)].strip(),
        files=tuple(files),
        edits=tuple(edits),
    )


def parse_files(text: str, paths: Sequence[str]) -> dict[str, str]:
    """The sources of exactly the files that were asked for."""
    given = {f.path: f.text for f in parse_changes(text).files}
    asked = ", ".join(f"`{p}`" for p in paths)
    stranger = next((p for p in given if p not in paths), None)
    if stranger is not None:
        raise ReplyRejected(f"it gives `{stranger}`, and {asked} was asked for")
    missing = next((p for p in paths if p not in given), None)
    if missing is not None:
        raise ReplyRejected(f'it holds no block `<file path="{missing}">` … `</file>`')
    return given


def _body(text: str, tag: str, path: str) -> str:
    """A block ends at the last closing line before the next opening, so that source which itself
    holds such a line survives."""
    closings = list(re.finditer(rf"^[ \t]*</{tag}>[ \t]*$", text, re.MULTILINE))
    if not closings:
        raise ReplyRejected(f"it ends before `</{tag}>` of `{path}`: the block is only half there")
    return text[: closings[-1].start()]


def _source(body: str) -> str:
    """The body of a file block without the newline after its tag and without a wrapping fence."""
    fenced = _unfenced(body)
    inner = fenced if fenced is not None else body.removeprefix("\n")
    return inner.rstrip() + "\n" if inner.strip() else ""


def _edit(path: str, body: str) -> Edit:
    text = body.strip()
    well = text.startswith("<find>") and text.endswith("</replace>")
    beside, newline, rest = text[len("<find>") : -len("</replace>")].partition("\n")
    between = _BETWEEN.search(rest)
    if not (well and newline and between) or beside.strip(" \t"):
        raise ReplyRejected(
            f"the edit of `{path}` is not `<find>` … `</find>` followed by "
            "`<replace>` … `</replace>`"
        )
    replace = rest[between.end() :].lstrip(" \t").removeprefix("\n")
    return Edit(path=path, find=_ended(rest[: between.start()]), replace=_ended(replace))


def _ended(text: str) -> str:
    """Text without the indent of the tag that closes it, and the line end before."""
    return text.rstrip(" \t").removesuffix("\n")


def _unfenced(text: str) -> str | None:
    """What a fence around the whole text holds, None where there is none."""
    text = text.strip()
    opening = _FENCE_OPENING.match(text)
    if not opening or not text.endswith(_FENCE) or len(text) < opening.end() + len(_FENCE):
        return None
    return text[opening.end() : -len(_FENCE)].removesuffix("\n")


def apply_edits(files: Mapping[str, str], edits: tuple[Edit, ...]) -> dict[str, str]:
    """The changed files only; raise ReplyRejected where an anchor is missing or not unique."""
    out: dict[str, str] = {}
    for edit in edits:
        text = out.get(edit.path, files.get(edit.path))
        if text is None:
            raise ReplyRejected(
                f"it edits `{edit.path}`, which does not exist; give a new file whole"
            )
        if not edit.find.strip():
            raise ReplyRejected(f"an edit of `{edit.path}` has an empty `<find>`")
        count = text.count(edit.find)
        if count != 1:
            first = edit.find.strip().splitlines()[0]
            times = "does not occur" if not count else f"occurs {count} times"
            raise ReplyRejected(
                f"the `<find>` text of an edit of `{edit.path}` that begins with `{first}` "
                f"{times} in the file; it must occur exactly once, to the letter"
            )
        out[edit.path] = text.replace(edit.find, edit.replace)
    return out


class ArchitectClass(Data):
    name: str
    bases: tuple[str, ...] = ()
    purpose: str = ""
    attributes: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


class ArchitectFile(Data):
    path: str
    purpose: str = ""
    classes: tuple[ArchitectClass, ...] = ()
    functions: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


class ArchitectReply(Data):
    files: tuple[ArchitectFile, ...] = ()
    requirements: tuple[str, ...] = ()


class Finding(Data):
    """One judgement of the model's; it counts only when what it cites exists."""

    section: str
    served_by: tuple[str, ...] = ()
    missing: str = ""


def parse_structure(text: str) -> ArchitectReply:
    """The structure of an architect's reply."""
    return _validated(TypeAdapter(ArchitectReply), _yaml(text, "structure"), "structure")


def parse_review(text: str) -> tuple[Finding, ...]:
    """The findings of a judge's reply."""
    return _validated(TypeAdapter(tuple[Finding, ...]), _yaml(text, "review"), "review")


def _yaml(text: str, tag: str) -> object:
    opening = re.search(rf"<{tag}>[ \t]*\n", text)
    end = text.find(f"</{tag}>", opening.end()) if opening else -1
    if opening is None or end < 0:
        raise ReplyRejected(f"it holds no complete block `<{tag}>` … `</{tag}>`")
    body = _ended(text[opening.end() : end])
    fenced = _unfenced(body)
    try:
        return plain_yaml(body if fenced is None else fenced)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise ReplyRejected(
            f"the YAML in `<{tag}>` has an error in line {line}: {error.problem}"
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ReplyRejected(f"the YAML in `<{tag}>` cannot be read: {error}") from error


def _validated(adapter: TypeAdapter[T], value: object, tag: str) -> T:
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ReplyRejected(f"`{place}` in `<{tag}>` is wrong: {first['msg']}") from error
