"""Commits, trees, refs, tags, files and comparisons as GitHub's JSON.

Shapes: https://docs.github.com/rest/git and https://docs.github.com/rest/commits
"""

import base64
from collections.abc import Sequence
from datetime import UTC
from urllib.parse import quote

from bot.forge.embedded.git.objects import Commit, FileChange, Signature, Tag, TreeEntry
from bot.forge.embedded.shapes import people
from bot.forge.embedded.shapes.base import Shapes, node_id, stamp
from bot.forge.embedded.shapes.repositories import api_url, web_url
from bot.forge.embedded.store.rows import Json, Repository

_UNSIGNED = {
    "verified": False,
    "reason": "unsigned",
    "signature": None,
    "payload": None,
    "verified_at": None,
}
_INLINE_LIMIT = 1_048_576


def signature(row: Signature) -> Json:
    return {"name": row.name, "email": row.email, "date": stamp(row.date.astimezone(UTC))}


def git_commit(shapes: Shapes, repository: Repository, row: Commit) -> Json:
    """The git object: /git/commits/SHA."""
    return {
        "sha": row.sha,
        "node_id": node_id("Commit", row.sha),
        "url": api_url(shapes, repository, f"/git/commits/{row.sha}"),
        "html_url": web_url(shapes, repository, f"/commit/{row.sha}"),
        "author": signature(row.author),
        "committer": signature(row.committer),
        "tree": tree_reference(shapes, repository, row.tree),
        "message": row.message,
        "parents": [parent(shapes, repository, sha) for sha in row.parents],
        "verification": _UNSIGNED,
    }


def tree_reference(shapes: Shapes, repository: Repository, sha: str) -> Json:
    return {"sha": sha, "url": api_url(shapes, repository, f"/git/trees/{sha}")}


def parent(shapes: Shapes, repository: Repository, sha: str) -> Json:
    return {
        "sha": sha,
        "url": api_url(shapes, repository, f"/commits/{sha}"),
        "html_url": web_url(shapes, repository, f"/commit/{sha}"),
    }


def commit(shapes: Shapes, repository: Repository, row: Commit) -> Json:
    """The commit with its accounts: /commits/SHA, without files."""
    api = api_url(shapes, repository, f"/commits/{row.sha}")
    return {
        "sha": row.sha,
        "node_id": node_id("Commit", row.sha),
        "commit": {
            "author": signature(row.author),
            "committer": signature(row.committer),
            "message": row.message,
            "tree": tree_reference(shapes, repository, row.tree),
            "url": api_url(shapes, repository, f"/git/commits/{row.sha}"),
            "comment_count": 0,
            "verification": _UNSIGNED,
        },
        "url": api,
        "html_url": web_url(shapes, repository, f"/commit/{row.sha}"),
        "comments_url": f"{api}/comments",
        "author": _account(shapes, row.author),
        "committer": _account(shapes, row.committer),
        "parents": [parent(shapes, repository, sha) for sha in row.parents],
    }


def commit_with_files(
    shapes: Shapes, repository: Repository, row: Commit, files: Sequence[FileChange]
) -> Json:
    additions = sum(f.additions for f in files)
    deletions = sum(f.deletions for f in files)
    return commit(shapes, repository, row) | {
        "stats": {
            "total": additions + deletions,
            "additions": additions,
            "deletions": deletions,
        },
        "files": [file_change(shapes, repository, f, row.sha) for f in files],
    }


def file_change(shapes: Shapes, repository: Repository, row: FileChange, commit_sha: str) -> Json:
    path = quote(row.path)
    shape = {
        "sha": row.sha,
        "filename": row.path,
        "status": row.status,
        "additions": row.additions,
        "deletions": row.deletions,
        "changes": row.additions + row.deletions,
        "blob_url": web_url(shapes, repository, f"/blob/{commit_sha}/{path}"),
        "raw_url": web_url(shapes, repository, f"/raw/{commit_sha}/{path}"),
        "contents_url": api_url(shapes, repository, f"/contents/{path}?ref={commit_sha}"),
    }
    if row.patch is not None:
        shape["patch"] = row.patch
    if row.previous_path is not None:
        shape["previous_filename"] = row.previous_path
    return shape


def ref(shapes: Shapes, repository: Repository, name: str, sha: str) -> Json:
    """`name` in full, such as refs/heads/main."""
    kind = shapes.store.git(repository).kind(sha) or "commit"
    path = name.removeprefix("refs/")
    return {
        "ref": name,
        "node_id": node_id("Ref", name),
        "url": api_url(shapes, repository, f"/git/refs/{path}"),
        "object": {
            "type": kind,
            "sha": sha,
            "url": api_url(shapes, repository, f"/git/{kind}s/{sha}"),
        },
    }


def tag(shapes: Shapes, repository: Repository, row: Tag) -> Json:
    return {
        "node_id": node_id("Tag", row.sha),
        "sha": row.sha,
        "url": api_url(shapes, repository, f"/git/tags/{row.sha}"),
        "tag": row.name,
        "message": row.message.rstrip("\n"),
        "tagger": signature(row.tagger),
        "object": {
            "type": row.target_kind,
            "sha": row.target,
            "url": api_url(shapes, repository, f"/git/{row.target_kind}s/{row.target}"),
        },
        "verification": _UNSIGNED,
    }


def tree(shapes: Shapes, repository: Repository, sha: str, entries: Sequence[TreeEntry]) -> Json:
    return {
        "sha": sha,
        "url": api_url(shapes, repository, f"/git/trees/{sha}"),
        "tree": [_tree_entry(shapes, repository, entry) for entry in entries],
        "truncated": False,
    }


def blob(shapes: Shapes, repository: Repository, sha: str, data: bytes) -> Json:
    return {
        "sha": sha,
        "node_id": node_id("Blob", sha),
        "size": len(data),
        "url": api_url(shapes, repository, f"/git/blobs/{sha}"),
        "content": base64_lines(data),
        "encoding": "base64",
    }


def content(
    shapes: Shapes,
    repository: Repository,
    path: str,
    entry: TreeEntry,
    reference: str,
    data: bytes | None = None,
) -> Json:
    """A file or folder of the contents API; `data` is the file's, None in listings.
    https://docs.github.com/rest/repos/contents
    """
    quoted, ref_quoted = quote(path), quote(reference)
    is_file = entry.kind == "blob"
    url = api_url(shapes, repository, f"/contents/{quoted}?ref={ref_quoted}")
    view = "blob" if is_file else "tree"
    html = web_url(shapes, repository, f"/{view}/{ref_quoted}/{quoted}")
    git_url = api_url(shapes, repository, f"/git/{entry.kind}s/{entry.sha}")
    raw = web_url(shapes, repository, f"/raw/{ref_quoted}/{quoted}")
    shape = {
        "type": {"blob": "file", "tree": "dir"}.get(entry.kind, "submodule"),
        "size": entry.size or 0,
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": entry.sha,
        "url": url,
        "git_url": git_url,
        "html_url": html,
        "download_url": raw if is_file else None,
        "_links": {"git": git_url, "self": url, "html": html},
    }
    if entry.mode == "120000":
        shape["type"] = "symlink"
    if data is not None:
        # Files above 1 MB come without content; https://docs.github.com/rest/repos/contents
        large = len(data) > _INLINE_LIMIT
        shape["encoding"] = "none" if large else "base64"
        shape["content"] = "" if large else base64_lines(data)
    return shape


def base64_lines(data: bytes) -> str:
    """Base64 in lines of 60 characters, as GitHub sends it."""
    text = base64.b64encode(data).decode()
    return "".join(f"{text[i : i + 60]}\n" for i in range(0, len(text), 60))


def _tree_entry(shapes: Shapes, repository: Repository, entry: TreeEntry) -> Json:
    shape: Json = {
        "path": entry.path,
        "mode": entry.mode,
        "type": entry.kind,
        "sha": entry.sha,
        "url": api_url(shapes, repository, f"/git/{entry.kind}s/{entry.sha}"),
    }
    return shape | ({"size": entry.size} if entry.size is not None else {})


def _account(shapes: Shapes, row: Signature) -> Json | None:
    account = shapes.store.accounts.by_email(row.email)
    return None if account is None else people.user(shapes, account)
