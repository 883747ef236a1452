"""Links to logs, artifacts and archives: the API redirects to them, and they open without a
credential for a minute, like those to the store where GitHub keeps such files."""

import io
import re
import secrets
import zipfile
from datetime import datetime, timedelta

from flask import Blueprint, Response, abort
from itsdangerous import BadSignature, URLSafeSerializer

from bot.forge.embedded.shapes.base import Shapes
from bot.forge.embedded.store.errors import Refused

# https://docs.github.com/rest/actions/artifacts#download-an-artifact
LIFE = timedelta(minutes=1)
_FOLDER = "_downloads"
_ARCHIVES = {"zipball": ("zip", "application/zip"), "tarball": ("tar.gz", "application/x-gzip")}


class Links:
    """Makes the links, and opens what they lead to."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._signer = URLSafeSerializer(secrets.token_bytes(32))

    def to(self, what: str, identity: int) -> str:
        """`what` is job, run or artifact with its own id, or zipball:COMMIT or tarball:COMMIT with
        the repository's."""
        until = (self._shapes.store.now() + LIFE).isoformat()
        return self._shapes.web(f"{_FOLDER}/{self._signer.dumps([what, identity, until])}")

    def open(self, token: str) -> Response | None:
        """None where the link is none of ours, has expired or leads to nothing."""
        try:
            what, identity, until = self._signer.loads(token)
        except BadSignature:
            return None
        if self._shapes.store.now() > datetime.fromisoformat(until):
            return None
        kind, _, commit = what.partition(":")
        try:
            if commit:
                return self._archive(identity, kind, commit)
            return {"job": self._job, "run": self._run, "artifact": self._artifact}[kind](identity)
        except Refused:
            return None

    def _archive(self, identity: int, form: str, commit: str) -> Response | None:
        row = self._shapes.store.tables.repositories.one(id=identity)
        if row is None:
            return None
        kind, mime = _ARCHIVES[form]
        stem = f"{row.owner}-{row.name}-{commit[:7]}"
        response = Response(self._shapes.store.git(row).archive(commit, kind, stem), mimetype=mime)
        response.headers["Content-Disposition"] = f"attachment; filename={stem}.{kind}"
        return response

    def _job(self, identity: int) -> Response | None:
        row = self._shapes.store.tables.workflow_jobs.one(id=identity)
        if row is None:
            return None
        return Response(self._shapes.store.actions.log(row), mimetype="text/plain")

    def _run(self, identity: int) -> Response | None:
        """A zip with one text per job."""
        actions = self._shapes.store.actions
        row = self._shapes.store.tables.workflow_runs.one(id=identity)
        if row is None:
            return None
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for index, job in enumerate(actions.jobs(row)):
                name = re.sub(r"[^\w .()-]", "_", job.name)
                archive.writestr(f"{index}_{name}.txt", actions.log(job))
        return Response(buffer.getvalue(), mimetype="application/zip")

    def _artifact(self, identity: int) -> Response | None:
        row = self._shapes.store.tables.artifacts.one(id=identity)
        if row is None:
            return None
        data = self._shapes.store.actions.artifact_data(row)
        response = Response(data, mimetype="application/zip")
        response.headers["Content-Disposition"] = f'attachment; filename="{row.id}.zip"'
        return response


def downloads_blueprint(links: Links) -> Blueprint:
    blueprint = Blueprint("downloads", __name__)

    @blueprint.get(f"/{_FOLDER}/<token>")
    def download(token: str) -> Response:
        found = links.open(token)
        if found is None:
            abort(404)
        return found

    return blueprint
