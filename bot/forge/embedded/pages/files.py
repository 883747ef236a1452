"""Pages of what lies in git: folders, files, commits."""

import mimetypes
from dataclasses import dataclass

from flask import Response, abort, request
from markupsafe import Markup

from bot.forge.embedded.git.objects import TreeEntry
from bot.forge.embedded.pages import diff, highlight
from bot.forge.embedded.pages.gather import Gather
from bot.forge.embedded.pages.site import HEADERS, Site
from bot.forge.embedded.store.rows import Repository

MAX_TEXT = 1_000_000
MAX_LINES = 10_000
PER_PAGE = 50
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/x-icon", "image/svg+xml")
_READMES = ("readme.md", "readme.markdown", "readme.rst", "readme.txt", "readme")


@dataclass(frozen=True)
class Target:
    """A branch, tag or commit and a path in it, as the address names them."""

    ref: str
    commit: str
    path: str

    @property
    def crumbs(self) -> list[tuple[str, str]]:
        parts = self.path.split("/")
        return [(part, "/" + "/".join(parts[: i + 1])) for i, part in enumerate(parts)]


class FilePages:
    def __init__(self, site: Site, gather: Gather) -> None:
        self._site = site
        self._gather = gather

    def home(self) -> Response:
        return self._list(None)

    def owner(self, owner: str) -> Response:
        account = self._site.store.accounts.find(owner)
        if account is None:
            abort(404)
        return self._list(account.login)

    def _list(self, owner: str | None) -> Response:
        store = self._site.store
        found = [
            {
                "repo": repository,
                "issues": store.tables.issues.count(
                    repository_id=repository.id, is_pull=0, state="open"
                ),
                "pulls": store.tables.issues.count(
                    repository_id=repository.id, is_pull=1, state="open"
                ),
            }
            for repository in store.repositories.visible_to(self._site.actor)
            if owner in (None, repository.owner)
        ]
        return self._site.page("home.html", repositories=found[::-1], owner=owner)

    def repository(self, owner: str, name: str) -> Response:
        repository = self._site.repository(owner, name)
        if self._site.store.git(repository).is_empty():
            return self._site.repository_page("empty.html", repository, "code")
        return self._folder(repository, self._target(repository, repository.default_branch))

    def tree(self, owner: str, name: str, rest: str) -> Response:
        repository = self._site.repository(owner, name)
        return self._folder(repository, self._target(repository, rest))

    def _folder(self, repository: Repository, target: Target) -> Response:
        git = self._site.store.git(repository)
        tree = target.commit
        if target.path:
            entry = git.entry(target.commit, target.path)
            if entry is None or entry.kind != "tree":
                abort(404)
            tree = entry.sha
        entries = sorted(git.entries(tree), key=lambda e: (e.kind != "tree", e.path.lower()))
        readme = next(
            (
                e
                for name in _READMES
                for e in entries
                if e.path.lower() == name and e.kind == "blob"
            ),
            None,
        )
        heads = git.refs("refs/heads/")
        return self._site.repository_page(
            "tree.html",
            repository,
            "code",
            ref=target.ref,
            path=target.path,
            crumbs=target.crumbs,
            branches=[name.removeprefix("refs/heads/") for name in heads],
            last=git.log(target.commit, path=target.path, limit=1)[0],
            commit_count=self._gather.commit_count(repository, target.commit),
            entries=entries,
            readme=self._readme(repository, target, readme) if readme else None,
            readme_name=readme.path if readme else "",
        )

    def _readme(self, repository: Repository, target: Target, entry: TreeEntry) -> Markup:
        text = (
            self._site.store.git(repository).blob(entry.sha)[:MAX_TEXT].decode("utf-8", "replace")
        )
        if not entry.path.lower().endswith((".md", ".markdown")):
            return Markup("<pre>{}</pre>").format(text)
        return self._site.prose(text, repository, ref=target.ref, folder=target.path)

    def blob(self, owner: str, name: str, rest: str) -> Response:
        repository = self._site.repository(owner, name)
        target, data = self._file(repository, rest)
        text = None if b"\0" in data[:8000] else data[:MAX_TEXT].decode("utf-8", "replace")
        lines = None if text is None else highlight.lines(text, path=target.path) if text else []
        is_markdown = target.path.lower().endswith((".md", ".markdown"))
        folder = target.path.rpartition("/")[0]
        return self._site.repository_page(
            "file.html",
            repository,
            "code",
            ref=target.ref,
            path=target.path,
            crumbs=target.crumbs,
            size=len(data),
            lines=lines[:MAX_LINES] if lines else lines,
            cut=len(data) > MAX_TEXT or (lines is not None and len(lines) > MAX_LINES),
            image=_image_type(target.path) is not None,
            rendered=self._site.prose(text, repository, ref=target.ref, folder=folder)
            if is_markdown and text
            else None,
            plain="plain" in request.args,
        )

    def raw(self, owner: str, name: str, rest: str) -> Response:
        """The bytes of a file, as text or as an image; never as a page of this server."""
        target, data = self._file(self._site.repository(owner, name), rest)
        kind = _image_type(target.path)
        if kind is None:
            kind = "application/octet-stream" if b"\0" in data[:8000] else "text/plain"
        policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        headers = HEADERS | {"Content-Security-Policy": policy}
        charset = "; charset=utf-8" if kind == "text/plain" else ""
        return Response(data, headers=headers, content_type=kind + charset)

    def commits(self, owner: str, name: str, rest: str = "") -> Response:
        repository = self._site.repository(owner, name)
        git = self._site.store.git(repository)
        path = request.args.get("path", "").strip("/").replace("\0", "")
        page = max(1, request.args.get("page", 1, type=int))
        target = self._target(repository, rest or repository.default_branch)
        found = git.log(target.commit, path=path, limit=page * PER_PAGE + 1)
        shown = found[(page - 1) * PER_PAGE : page * PER_PAGE]
        states = {c.sha: self._gather.state(repository, c.sha) for c in shown}
        return self._site.repository_page(
            "commits.html",
            repository,
            "code",
            ref=target.ref,
            path=path,
            commits=shown,
            states={sha: state for sha, state in states.items() if state},
            page=page,
            more=len(found) > page * PER_PAGE,
            query=f"path={path}&" if path else "",
        )

    def commit(self, owner: str, name: str, sha: str) -> Response:
        repository = self._site.repository(owner, name)
        git = self._site.store.git(repository)
        full = git.resolve(sha)
        if full is None:
            abort(404)
        commit = git.commit(full)
        changes = git.changes(commit.parents[0] if commit.parents else None, full)
        return self._site.repository_page(
            "commit.html",
            repository,
            "code",
            commit=commit,
            checks=self._gather.checks(repository, full),
            files=[diff.read(change) for change in changes],
            additions=sum(change.additions for change in changes),
            deletions=sum(change.deletions for change in changes),
        )

    def _file(self, repository: Repository, rest: str) -> tuple[Target, bytes]:
        git = self._site.store.git(repository)
        target = self._target(repository, rest)
        entry = git.entry(target.commit, target.path) if target.path else None
        if entry is None or entry.kind != "blob":
            abort(404)
        return target, git.blob(entry.sha)

    def _target(self, repository: Repository, rest: str) -> Target:
        """Branch names may hold slashes: the longest branch or tag that fits counts."""
        git = self._site.store.git(repository)
        rest = rest.strip("/")
        if "\0" in rest:
            abort(404)
        names = {
            ref.split("/", 2)[2] for ref in (*git.refs("refs/heads/"), *git.refs("refs/tags/"))
        }
        fits = [name for name in names if rest == name or rest.startswith(f"{name}/")]
        ref = max(fits, key=len) if fits else rest.split("/", 1)[0]
        commit = git.resolve(ref)
        if commit is None:
            abort(404)
        return Target(ref, commit, rest[len(ref) :].strip("/"))


def _image_type(path: str) -> str | None:
    kind = mimetypes.guess_type(path)[0]
    return kind if kind in _IMAGES else None
