"""Git's own objects and refs.

https://docs.github.com/rest/git
"""

import base64
import binascii

from bot.forge.embedded.git.objects import ZERO, RefUpdate, TreeChange
from bot.forge.embedded.rest.call import Answer, Body, Call
from bot.forge.embedded.rest.moves import move_ref, refuse_workflows
from bot.forge.embedded.rest.persons import Person, person
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import git as shape
from bot.forge.embedded.shapes.repositories import api_url
from bot.forge.embedded.store.errors import Refused, not_found
from bot.forge.embedded.store.pulls import signature
from bot.forge.embedded.store.rows import Json

routes = Routes()
_G = "/repos/<owner>/<repo>/git"
_DOCS = "https://docs.github.com/rest/git"
_MODES = ("100644", "100755", "040000", "160000", "120000")


class NewBlob(Body):
    content: str
    encoding: str = "utf-8"


class Entry(Body):
    path: str
    mode: str
    type: str | None = None
    sha: str | None = None
    content: str | None = None


class NewTree(Body):
    tree: tuple[Entry, ...]
    base_tree: str | None = None


class NewCommit(Body):
    message: str
    tree: str
    parents: tuple[str, ...] = ()
    author: Person | None = None
    committer: Person | None = None


class NewRef(Body):
    ref: str
    sha: str


class RefChange(Body):
    sha: str
    force: bool = False


class NewTag(Body):
    tag: str
    message: str
    object: str
    type: str
    tagger: Person | None = None


@routes.get(f"{_G}/blobs/<sha>", "contents:read")
def get_blob(call: Call, sha: str) -> Json:
    _expect(call, sha, "blob")
    return shape.blob(call.shapes, call.repository, sha, call.git.blob(sha))


@routes.post(f"{_G}/blobs", "contents:write")
def create_blob(call: Call) -> Answer:
    body = call.body(NewBlob)
    git = call.filled_git
    try:
        data = (
            base64.b64decode(body.content) if body.encoding == "base64" else body.content.encode()
        )
    except binascii.Error as error:
        raise Refused(422, "content is not valid Base64", docs=_DOCS) from error
    sha = git.write_blob(data)
    return Answer(
        {"sha": sha, "url": api_url(call.shapes, call.repository, f"/git/blobs/{sha}")}, 201
    )


@routes.get(f"{_G}/trees/<path:revision>", "contents:read")
def get_tree(call: Call, revision: str) -> Json:
    sha = call.filled_git.resolve(revision, "tree")
    if sha is None:
        raise not_found()
    recursive = call.argument("recursive") not in ("", "0", "false")
    entries = call.git.entries(sha, recursive=recursive)
    return shape.tree(call.shapes, call.repository, sha, entries)


@routes.post(f"{_G}/trees", "contents:write")
def create_tree(call: Call) -> Answer:
    body = call.body(NewTree)
    git = call.filled_git
    base = None
    if body.base_tree is not None:
        base = git.resolve(body.base_tree, "tree")
        if base is None:
            raise Refused(422, "tree.base_tree is not a valid tree", docs=_DOCS)
    refuse_workflows(call, [entry.path for entry in body.tree])
    sha = git.write_tree(base, [_change(call, entry) for entry in body.tree])
    return Answer(shape.tree(call.shapes, call.repository, sha, git.entries(sha)), 201)


@routes.get(f"{_G}/commits/<sha>", "contents:read")
def get_commit(call: Call, sha: str) -> Json:
    _expect(call, sha, "commit")
    return shape.git_commit(call.shapes, call.repository, call.git.commit(sha))


@routes.post(f"{_G}/commits", "contents:write")
def create_commit(call: Call) -> Answer:
    body = call.body(NewCommit)
    git = call.filled_git
    if git.kind(body.tree) != "tree":
        raise Refused(422, "Tree SHA does not exist", docs=_DOCS)
    if any(git.kind(parent) != "commit" for parent in body.parents):
        raise Refused(422, "Parent SHA does not exist or is not a commit object", docs=_DOCS)
    own = signature(call.actor.user, call.store.core)
    author = person(body.author, own)
    committer = person(body.committer, author)
    sha = git.write_commit(body.tree, body.parents, body.message, author, committer)
    return Answer(shape.git_commit(call.shapes, call.repository, git.commit(sha)), 201)


@routes.get(f"{_G}/ref/<path:name>", "contents:read")
def get_ref(call: Call, name: str) -> Json:
    full = f"refs/{name}"
    sha = call.filled_git.refs(full).get(full)
    if sha is None:
        raise Refused(404, "Not Found", docs=f"{_DOCS}/refs#get-a-reference")
    return shape.ref(call.shapes, call.repository, full, sha)


@routes.get(f"{_G}/refs", "contents:read")
def list_refs(call: Call) -> Answer:
    refs = _refs(call, "refs/")
    return call.page(refs, lambda ref: ref)


@routes.get(f"{_G}/matching-refs/", "contents:read")
def match_all(call: Call) -> Answer:
    return Answer(_refs(call, "refs/"))


@routes.get(f"{_G}/matching-refs/<path:prefix>", "contents:read")
def match_refs(call: Call, prefix: str) -> Answer:
    """All at once: GitHub knows no pages here.
    https://docs.github.com/en/rest/git/refs#list-matching-references
    """
    return Answer(_refs(call, f"refs/{prefix}"))


@routes.get(f"{_G}/refs/<path:name>", "contents:read")
def get_refs(call: Call, name: str) -> Json:
    """The older address of a single ref, which PyGithub uses."""
    return get_ref(call, name)


@routes.post(f"{_G}/refs", "contents:write")
def create_ref(call: Call) -> Answer:
    body = call.body(NewRef)
    git = call.filled_git
    if not body.ref.startswith("refs/") or body.ref.count("/") < 2 or not git.valid_ref(body.ref):
        message = f"{body.ref} is not a valid ref name."
        raise Refused(422, message, docs=f"{_DOCS}/refs#create-a-reference")
    if git.kind(body.sha) is None:
        raise Refused(422, "Object does not exist", docs=f"{_DOCS}/refs#create-a-reference")
    if body.ref in git.refs(body.ref):
        raise Refused(422, "Reference already exists", docs=f"{_DOCS}/refs#create-a-reference")
    move_ref(call, RefUpdate(body.ref, ZERO, body.sha))
    return Answer(shape.ref(call.shapes, call.repository, body.ref, body.sha), 201)


@routes.patch(f"{_G}/refs/<path:name>", "contents:write")
def update_ref(call: Call, name: str) -> Json:
    body = call.body(RefChange)
    full = f"refs/{name}"
    git = call.filled_git
    old = git.refs(full).get(full)
    if old is None:
        raise Refused(422, "Reference does not exist", docs=f"{_DOCS}/refs#update-a-reference")
    if git.kind(body.sha) is None:
        raise Refused(422, "Object does not exist", docs=f"{_DOCS}/refs#update-a-reference")
    if not body.force and not git.is_ancestor(old, body.sha):
        message = "Update is not a fast forward"
        raise Refused(422, message, docs=f"{_DOCS}/refs#update-a-reference")
    move_ref(call, RefUpdate(full, old, body.sha))
    return shape.ref(call.shapes, call.repository, full, body.sha)


@routes.delete(f"{_G}/refs/<path:name>", "contents:write")
def delete_ref(call: Call, name: str) -> None:
    full = f"refs/{name}"
    old = call.git.refs(full).get(full)
    if old is None:
        raise Refused(422, "Reference does not exist", docs=f"{_DOCS}/refs#delete-a-reference")
    if name == f"heads/{call.repository.default_branch}":
        raise Refused(422, "Cannot delete the default branch", docs=f"{_DOCS}/refs")
    move_ref(call, RefUpdate(full, old, ZERO))


@routes.get(f"{_G}/tags/<sha>", "contents:read")
def get_tag(call: Call, sha: str) -> Json:
    _expect(call, sha, "tag")
    return shape.tag(call.shapes, call.repository, call.git.tag(sha))


@routes.post(f"{_G}/tags", "contents:write")
def create_tag(call: Call) -> Answer:
    body = call.body(NewTag)
    _expect(call, body.object, body.type)
    tagger = person(body.tagger, signature(call.actor.user, call.store.core))
    sha = call.git.write_tag(body.tag, body.object, body.type, tagger, body.message)
    return Answer(shape.tag(call.shapes, call.repository, call.git.tag(sha)), 201)


def _refs(call: Call, prefix: str) -> list[Json]:
    return [
        shape.ref(call.shapes, call.repository, name, sha)
        for name, sha in call.filled_git.refs().items()
        if name.startswith(prefix)
    ]


def _expect(call: Call, sha: str, kind: str) -> None:
    if call.filled_git.kind(sha) != kind:
        raise not_found()


def _change(call: Call, entry: Entry) -> TreeChange:
    if entry.mode not in _MODES:
        raise Refused(422, "tree.mode must be one of the known modes", docs=_DOCS)
    parts = entry.path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise Refused(422, "tree.path contains a malformed path component", docs=_DOCS)
    if entry.content is not None:
        return TreeChange(entry.path, entry.mode, call.git.write_blob(entry.content.encode()))
    if entry.sha is not None and call.git.kind(entry.sha) is None and entry.mode != "160000":
        raise Refused(422, f"tree.sha {entry.sha} is not a valid blob", docs=_DOCS)
    return TreeChange(entry.path, entry.mode, entry.sha)
