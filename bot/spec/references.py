"""What an issue points at: attachments and files of the repository that hold parts of the spec."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from bot.base import Data
from bot.ports.forge import Issue
from bot.spec.kinds import DOCUMENT_SUFFIXES
from bot.spec.markdown import blocks
from bot.spec.paths import repository_path
from bot.spec.texts import normalise

_LINK = re.compile(
    r"(?<!!)\[(?P<text>[^\]\n]{0,200})\]\((?P<target>[^()\s]{1,500})(?:\s+[\"'][^\n()]{0,200})?\)"
)
_BARE_URL = re.compile(r"(?<![(\[\"'])https?://[^\s<>()\[\]\"'`]{1,500}")
_PATH_LINE = re.compile(
    r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:[\w ()]{1,40}:\s*)?`?(?P<path>[\w./-]{1,300})`?\s*$"
)
_ATTACHMENT = re.compile(r"^/(?:user-attachments/files|[\w.-]+/[\w.-]+/files)/\d+/(?P<name>[^/]+)$")
_BLOB = re.compile(r"^/(?P<repo>[\w.-]+/[\w.-]+)/(?:blob|tree|raw)/[^/]+/(?P<path>.+)$")
_MOST_ATTACHMENTS = 40
_GIVEN_SUFFIXES = DOCUMENT_SUFFIXES | {".py", ".json", ".csv", ".toml", ".yaml", ".yml"}


class References(Data):
    """What the caller must fetch before the spec can be read: addresses of `attachments`, and
    `paths` of the repository (a path that ends with `/` is a folder)."""

    attachments: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


def attachment_name(url: str) -> str:
    """The file name under which an attachment was uploaded."""
    return unquote(urlsplit(url).path.rpartition("/")[2])


def references(issue: Issue) -> References:
    """All references in the body and in the author's own follow-up comments, each once; of the
    attachments the first, for each is fetched and may be large."""
    attachments: dict[str, None] = {}
    paths: dict[str, None] = {}
    for text in author_texts(issue):
        found = references_of(text, issue.html_url)
        attachments.update(dict.fromkeys(found.attachments))
        paths.update(dict.fromkeys(found.paths))
    wanted = tuple(attachments)[:_MOST_ATTACHMENTS]
    return References(attachments=wanted, paths=tuple(paths))


def author_texts(issue: Issue) -> list[str]:
    """The body, then the comments of the issue's author, oldest first."""
    own = [c for c in issue.comments if c.author == issue.author and not c.author_is_bot]
    own.sort(key=lambda c: (c.created_at, c.id))
    return [normalise(issue.body), *(normalise(c.body) for c in own)]


def references_of(text: str, issue_url: str) -> References:
    """The references of one text: links, and lines that hold a path and nothing else."""
    attachments: dict[str, None] = {}
    paths: dict[str, None] = {}
    for target in _targets(text):
        attachment, path = _read_target(target, issue_url)
        if attachment is not None:
            attachments.setdefault(attachment)
        if path is not None:
            paths.setdefault(path)
    return References(attachments=tuple(attachments), paths=tuple(paths))


def _targets(text: str) -> Iterator[str]:
    for block in blocks(text):
        if block.kind == "fence":
            continue
        for found in _LINK.finditer(block.text):
            yield found["target"]
        for bare in _BARE_URL.finditer(block.text):
            yield bare.group().rstrip(".,;:!?")
        if block.kind in ("paragraph", "item"):
            for line in block.text.split("\n"):
                alone = _PATH_LINE.match(line)
                if alone is not None and "/" in alone["path"].strip("/") + "/":
                    yield alone["path"]


def _read_target(target: str, issue_url: str) -> tuple[str | None, str | None]:
    """An attachment on the issue's own host, or a path of the issue's own repository."""
    if "://" not in target:
        return None, _wanted_path(unquote(target.partition("#")[0]))
    url, own = urlsplit(target), urlsplit(issue_url)
    if url.scheme not in ("http", "https") or url.netloc.lower() != own.netloc.lower():
        return None, None
    if _ATTACHMENT.match(url.path):
        return target, None
    blob = _BLOB.match(url.path)
    repository = "/".join(own.path.strip("/").split("/")[:2])
    if blob is not None and blob["repo"].lower() == repository.lower():
        return None, _wanted_path(unquote(blob["path"]))
    return None, None


def _wanted_path(text: str) -> str | None:
    """A path that can hold a part of a spec: a document, a given file, or a folder."""
    path = repository_path(text)
    if path is None or text.startswith("#"):
        return None
    name = path.rpartition("/")[2]
    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    if suffix in _GIVEN_SUFFIXES:
        return path
    return f"{path}/" if not suffix and ("/" in text) else None
