"""Files through the contents API, archives and README.

https://docs.github.com/rest/repos/contents
"""

import base64
import binascii

from flask import Response

from bot.forge.embedded.git.objects import ZERO, RefUpdate, TreeChange, TreeEntry
from bot.forge.embedded.rest.call import Answer, Body, Call, redirect
from bot.forge.embedded.rest.moves import move_ref, refuse_workflows
from bot.forge.embedded.rest.persons import Person, person
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import git as shape
from bot.forge.embedded.store.errors import Refused, conflict, not_found
from bot.forge.embedded.store.pulls import signature
from bot.forge.embedded.store.rows import Json

routes = Routes()
_R = "/repos/<owner>/<repo>"
_DOCS = "https://docs.github.com/rest/repos/contents"
_RAW = (
    "application/vnd.github.raw",
    "application/vnd.github.v3.raw",
    "application/vnd.github.raw+json",
)


class FileChange(Body):
    message: str
    content: str
    sha: str | None = None
    branch: str | None = None
    author: Person | None = None
    committer: Person | None = None


class FileDeletion(Body):
    message: str
    sha: str
    branch: str | None = None
    author: Person | None = None
    committer: Person | None = None


@routes.get(f"{_R}/contents", "contents:read")
def get_root(call: Call) -> Json | Answer | Response:
    return get(call, "")


@routes.get(f"{_R}/contents/", "contents:read")
def get_root_slash(call: Call) -> Json | Answer | Response:
    return get(call, "")


@routes.get(f"{_R}/contents/<path:path>", "contents:read")
def get(call: Call, path: str) -> Json | Answer | Response:
    """A file, or the list of a folder."""
    if call.git.is_empty():
        raise Refused(404, "This repository is empty.", docs=f"{_DOCS}#get-repository-content")
    reference = call.argument("ref") or call.repository.default_branch
    commit = call.git.resolve(reference)
    if commit is None:
        raise Refused(404, f"No commit found for the ref {reference}", docs=_DOCS)
    path = path.strip("/")
    if not path:
        return _folder(call, "", call.git.commit(commit).tree, reference)
    entry = call.git.entry(commit, path)
    if entry is None:
        raise Refused(404, "Not Found", docs=f"{_DOCS}#get-repository-content")
    if entry.kind == "tree":
        return _folder(call, path, entry.sha, reference)
    data = call.git.blob(entry.sha) if entry.kind == "blob" else None
    if data is not None and call.request.headers.get("Accept") in _RAW:
        return Response(data, mimetype="application/vnd.github.raw")
    return shape.content(call.shapes, call.repository, path, entry, reference, data)


@routes.get(f"{_R}/readme", "contents:read")
def readme(call: Call) -> Json:
    reference = call.argument("ref") or call.repository.default_branch
    commit = None if call.git.is_empty() else call.git.resolve(reference)
    for entry in call.git.entries(commit) if commit else ():
        if entry.kind == "blob" and entry.path.lower().split(".")[0] == "readme":
            data = call.git.blob(entry.sha)
            return shape.content(call.shapes, call.repository, entry.path, entry, reference, data)
    raise not_found()


@routes.put(f"{_R}/contents/<path:path>", "contents:write", content=True)
def put(call: Call, path: str) -> Answer:
    """Create or update one file; in an empty repository this is its first commit."""
    body = call.body(FileChange)
    path = _checked(path)
    refuse_workflows(call, [path])
    try:
        data = base64.b64decode(body.content, validate=False)
    except binascii.Error as error:
        raise Refused(422, "content is not valid Base64", docs=_DOCS) from error
    old, entry = _current(call, body.branch, path)
    if entry is not None and body.sha is None:
        raise Refused(422, 'Invalid request.\n\n"sha" wasn\'t supplied.', docs=_DOCS)
    _check_sha(path, body.sha, entry)
    sha = call.git.write_blob(data)
    commit = _commit(call, body, old, TreeChange(path, entry.mode if entry else "100644", sha))
    written = call.git.entry(commit, path)
    if written is None:
        raise not_found()
    branch = body.branch or call.repository.default_branch
    content = shape.content(call.shapes, call.repository, path, written, branch)
    return Answer(_result(call, content, commit), 200 if entry else 201)


@routes.delete(f"{_R}/contents/<path:path>", "contents:write")
def delete(call: Call, path: str) -> Json:
    body = call.body(FileDeletion) if call.request.data else _deletion(call)
    path = _checked(path)
    refuse_workflows(call, [path])
    if call.git.is_empty():
        raise conflict("Git Repository is empty.", _DOCS)
    old, entry = _current(call, body.branch, path)
    if entry is None:
        raise not_found()
    _check_sha(path, body.sha, entry)
    return _result(call, None, _commit(call, body, old, TreeChange(path, "0", None)))


@routes.get(f"{_R}/<any(zipball, tarball):form>", "contents:read")
def archive_default(call: Call, form: str) -> Answer:
    return archive(call, form, call.repository.default_branch)


@routes.get(f"{_R}/<any(zipball, tarball):form>/<path:reference>", "contents:read")
def archive(call: Call, form: str, reference: str) -> Answer:
    """https://docs.github.com/rest/repos/contents#download-a-repository-archive-zip"""
    commit = call.commit_sha(reference)
    return redirect(call.services.links.to(f"{form}:{commit}", call.repository.id))


def _folder(call: Call, path: str, tree: str, reference: str) -> Answer:
    prefix = f"{path}/" if path else ""
    return Answer(
        [
            shape.content(call.shapes, call.repository, prefix + e.path, e, reference)
            for e in call.git.entries(tree)
        ]
    )


def _checked(path: str) -> str:
    """Git would refuse these too, but only when the tree is checked out."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise Refused(422, "path contains a malformed path component", docs=_DOCS)
    return path


def _current(call: Call, branch: str | None, path: str) -> tuple[str, TreeEntry | None]:
    """The branch's commit (ZERO in an empty repository) and what stands at the path."""
    name = branch or call.repository.default_branch
    tip = call.git.refs("refs/heads/").get(f"refs/heads/{name}")
    if tip is None:
        if call.git.is_empty():
            return ZERO, None
        raise Refused(404, f"Branch {name} not found", docs=_DOCS)
    return tip, call.git.entry(tip, path)


def _check_sha(path: str, sha: str | None, entry: TreeEntry | None) -> None:
    if sha is not None and (entry is None or entry.sha != sha):
        raise conflict(f"{path} does not match {sha}", _DOCS)


def _commit(call: Call, body: FileChange | FileDeletion, old: str, change: TreeChange) -> str:
    git = call.git
    own = signature(call.actor.user, call.store.core)
    committer = person(body.committer, own)
    author = person(body.author, committer)
    empty = old == ZERO
    tree = git.write_tree(None if empty else git.commit(old).tree, [change])
    sha = git.write_commit(tree, [] if empty else [old], body.message, author, committer)
    branch = body.branch or call.repository.default_branch
    move_ref(call, RefUpdate(f"refs/heads/{branch}", old, sha))
    return sha


def _result(call: Call, content: Json | None, commit: str) -> Json:
    row = call.git.commit(commit)
    return {"content": content, "commit": shape.git_commit(call.shapes, call.repository, row)}


def _deletion(call: Call) -> FileDeletion:
    """Some clients send a deletion's fields as query."""
    return FileDeletion.model_validate(call.request.args.to_dict())
