"""Git over HTTP: git's own http-backend behind GitHub's authentication."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers.response import Response as BaseResponse

from bot.forge.embedded.git import push_check
from bot.forge.embedded.git.objects import RefUpdate
from bot.forge.embedded.git.process import git_environment, require_git
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.access import ANONYMOUS, Actor
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.policy import push_policy
from bot.forge.embedded.store.rows import Repository

_CHUNK = 65_536
_READ, _WRITE = "git-upload-pack", "git-receive-pack"


def git_blueprint(store: Store) -> Blueprint:
    """The routes that `git clone`, `fetch` and `push` use, with and without the suffix .git."""
    blueprint = Blueprint("git", __name__)

    @blueprint.get("/<owner>/<name>/info/refs")
    def advertise(owner: str, name: str) -> BaseResponse:
        service = request.args.get("service", _READ)
        return _serve(store, owner, name, "info/refs", service)

    @blueprint.post(f"/<owner>/<name>/<any('{_READ}', '{_WRITE}'):service>")
    def exchange(owner: str, name: str, service: str) -> BaseResponse:
        return _serve(store, owner, name, service, service)

    return blueprint


def _serve(store: Store, owner: str, name: str, path: str, service: str) -> BaseResponse:
    try:
        actor = _actor(store)
        repository = _repository(store, owner, name.removesuffix(".git"))
        if repository is None:
            moved = store.repositories.redirected(owner, name.removesuffix(".git"))
            if moved is None:
                return _hidden(actor)
            query = request.query_string.decode()
            return redirect(f"/{moved.full_name}.git/{path}?{query}", 301)
        refusal = _refusal(store, repository, actor, service)
    except Refused as error:
        if error.status != 401:
            return _said(error.message, error.status)
        return _ask_for_credentials(error.message)
    if refusal is not None:
        return refusal
    if path == _WRITE:
        return _receive(store, repository, actor)
    return _stream(store, repository, path, {})


def _actor(store: Store) -> Actor:
    """Basic authentication with a token as password, or as user name.
    https://docs.github.com/authentication/keeping-your-account-and-data-secure/managing-your-personal-access-tokens
    """
    given = request.authorization
    if given is None or given.type != "basic":
        return ANONYMOUS
    password = given.password or ""
    token = given.username if password in ("", "x-oauth-basic") else password
    return store.tokens.actor(token or "")


def _repository(store: Store, owner: str, name: str) -> Repository | None:
    return store.repositories.find(owner, name)


def _refusal(
    store: Store, repository: Repository, actor: Actor, service: str
) -> BaseResponse | None:
    allows = store.repositories.allows
    if not allows(actor, repository, "contents", "read"):
        return _hidden(actor)
    if service == _READ:
        return None
    if actor.account is None:
        return _ask_for_credentials("Authentication required")
    if repository.archived:
        return _said("This repository was archived so it is read-only.", 403)
    if not allows(actor, repository, "contents", "write"):
        login = actor.account.login
        return _said(f"Permission to {repository.full_name}.git denied to {login}.", 403)
    return None


def _hidden(actor: Actor) -> BaseResponse:
    """What the caller may not see does not exist; a caller without a name is asked for one."""
    if actor.account is None:
        return _ask_for_credentials("Repository not found.")
    return _said("Repository not found.", 404)


def _said(message: str, status: int) -> BaseResponse:
    """Git shows its user what a server says in plain text."""
    return Response(f"{message}\n", status, mimetype="text/plain")


def _ask_for_credentials(message: str) -> BaseResponse:
    return Response(f"{message}\n", 401, {"WWW-Authenticate": 'Basic realm="GitHub"'})


def _receive(store: Store, repository: Repository, actor: Actor) -> BaseResponse:
    """Run receive-pack to its end and record what moved before the client hears of it."""
    with TemporaryDirectory(prefix="push-") as folder:
        moved = Path(folder) / "updates"
        response = _stream(
            store,
            repository,
            _WRITE,
            {
                "REMOTE_USER": actor.user.login,
                "EMBEDDED_GITHUB_PYTHON": sys.executable,
                "EMBEDDED_GITHUB_PUSH_CHECK": push_check.__file__,
                "EMBEDDED_GITHUB_POLICY": json.dumps(push_policy(store, repository, actor)),
                "EMBEDDED_GITHUB_UPDATES": str(moved),
            },
        )
        response.set_data(response.get_data())
        lines = moved.read_text("utf-8").splitlines() if moved.exists() else []
    updates = [RefUpdate(ref, old, new) for old, new, ref in (line.split(" ", 2) for line in lines)]
    store.record_push(repository, actor, updates)
    return response


def _stream(
    store: Store, repository: Repository, path: str, environment: dict[str, str]
) -> Response:
    """One CGI call of git http-backend (https://git-scm.com/docs/git-http-backend)."""
    root = store.git(repository).path
    headers = {
        "CONTENT_TYPE": request.content_type or "",
        "CONTENT_LENGTH": str(request.content_length or 0),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
    }
    settings = {
        **{key: value for key, value in headers.items() if value},
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.query_string.decode(),
        "GIT_PROJECT_ROOT": str(root.parent),
        "PATH_INFO": f"/{root.name}/{path}",
        "GIT_HTTP_EXPORT_ALL": "1",
        **environment,
    }
    process = subprocess.Popen(
        [require_git(), "http-backend"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=git_environment(settings),
    )
    return _cgi_response(process)


def _feed(source: IO[bytes], target: IO[bytes]) -> None:
    try:
        shutil.copyfileobj(source, target, _CHUNK)
        target.close()
    except BrokenPipeError:
        return


def _cgi_response(process: "subprocess.Popen[bytes]") -> Response:
    """Feed the request's body while the answer is read, and stream the answer."""
    source, sink, output = request.stream, process.stdin, process.stdout
    if sink is None or output is None:
        raise ValueError("http-backend needs pipes")
    Thread(target=_feed, args=(source, sink), daemon=True).start()
    response = Response()
    while line := output.readline().decode("latin-1").strip():
        name, _, value = line.partition(": ")
        if name.lower() == "status":
            response.status = value
        else:
            response.headers[name] = value
    response.response = _body(process, output)
    return response


def _body(process: "subprocess.Popen[bytes]", output: IO[bytes]) -> Iterator[bytes]:
    with process:
        while chunk := output.read(_CHUNK):
            yield chunk
