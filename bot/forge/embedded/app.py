"""The Flask application: API, git and whatever else is served on the one port."""

from email.utils import format_datetime

from flask import Flask, Response

from bot.forge.embedded import graphql, pages
from bot.forge.embedded.downloads import Links, downloads_blueprint
from bot.forge.embedded.git_http import git_blueprint
from bot.forge.embedded.limits import Limits, RateLimiter
from bot.forge.embedded.rest import (
    actions,
    apps,
    branches,
    checks,
    commits,
    contents,
    environments,
    gitdata,
    hooks,
    issues,
    meta,
    pulls,
    repositories,
    reviews,
    rules,
    search,
    secrets,
    users,
)
from bot.forge.embedded.rest.call import Runner, Services
from bot.forge.embedded.rest.service import api_blueprint
from bot.forge.embedded.shapes.base import Shapes
from bot.forge.embedded.webhooks import Webhooks

_MODULES = (
    meta,
    users,
    apps,
    repositories,
    branches,
    contents,
    gitdata,
    commits,
    issues,
    pulls,
    reviews,
    checks,
    actions,
    environments,
    hooks,
    rules,
    search,
    secrets,
)


def create_app(
    shapes: Shapes,
    webhooks: Webhooks,
    runner: Runner | None,
    limits: Limits,
    *,
    maintainer: str | None = None,
) -> Flask:
    """`maintainer` is the login that the pages look with and comment as."""
    app = Flask("embedded-github", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.config["PAGES_MAINTAINER"] = maintainer
    limiter = RateLimiter(limits, shapes.store.core.clock)
    links = Links(shapes)
    services = Services(shapes, webhooks, limiter, links, runner)
    routes = [route for module in _MODULES for route in module.routes.all]
    app.register_blueprint(api_blueprint(services, routes), url_prefix="/api/v3")
    points = RateLimiter(limits, shapes.store.core.clock)
    app.register_blueprint(graphql.blueprint(shapes, graphql.Limiters(points, limiter)))
    app.register_blueprint(git_blueprint(shapes.store))
    app.register_blueprint(downloads_blueprint(links))
    app.register_blueprint(pages.blueprint(shapes, webhooks))

    @app.after_request
    def date(response: Response) -> Response:
        """Answers are dated by this GitHub's clock, which need not be the machine's."""
        response.headers["Date"] = format_datetime(shapes.store.now(), usegmt=True)
        return response

    return app
