"""Pages of GitHub Actions: workflow runs, jobs with logs, check runs, artifacts."""

from flask import Response, abort, request

from bot.forge.embedded.pages.gather import Gather
from bot.forge.embedded.pages.site import HEADERS, Site
from bot.forge.embedded.store.errors import Refused

PER_PAGE = 30


class RunPages:
    def __init__(self, site: Site, gather: Gather) -> None:
        self._site = site
        self._store = site.store
        self._gather = gather

    def runs(self, owner: str, name: str) -> Response:
        repository = self._site.repository(owner, name)
        page = max(1, request.args.get("page", 1, type=int))
        found = self._store.actions.runs(repository)
        return self._site.repository_page(
            "actions.html",
            repository,
            "actions",
            found=found[(page - 1) * PER_PAGE : page * PER_PAGE],
            page=page,
            more=len(found) > page * PER_PAGE,
            query="",
        )

    def run(self, owner: str, name: str, run_id: int, job_id: int = 0) -> Response:
        """A run with all its jobs; the address of a single job shows its run."""
        repository = self._site.repository(owner, name)
        run = self._store.actions.run(repository, run_id)
        if run is None:
            abort(404)
        view = self._gather.run_view(repository, run)
        return self._site.repository_page("run.html", repository, "actions", view=view)

    def check(self, owner: str, name: str, check_id: int) -> Response:
        repository = self._site.repository(owner, name)
        check = self._store.checks.run(repository, check_id)
        if check is None:
            abort(404)
        view = self._gather.check_view(check)
        return self._site.repository_page("check.html", repository, "actions", view=view)

    def artifact(self, owner: str, name: str, run_id: int, artifact_id: int) -> Response:
        """The zip, for whoever may read the repository."""
        repository = self._site.repository(owner, name)
        artifact = self._store.actions.artifact(repository, artifact_id)
        if artifact is None or artifact.run_id != run_id:
            abort(404)
        try:
            data = self._store.actions.artifact_data(artifact)
        except Refused:
            abort(410)
        plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in artifact.name)
        disposition = f'attachment; filename="{plain}.zip"'
        return Response(
            data,
            headers=HEADERS | {"Content-Disposition": disposition},
            content_type="application/zip",
        )
