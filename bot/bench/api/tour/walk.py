"""The whole walk, and what of the embedded GitHub it has not come by."""

from collections.abc import Callable, Sequence
from urllib.parse import unquote

from werkzeug.exceptions import HTTPException

from bot.bench.api.exchange import REST, Exchange
from bot.bench.api.tour import checking, places, settings, sources, talk
from bot.bench.api.tour.guide import Guide
from bot.forge.embedded.server import EmbeddedGitHub

STAGES: Sequence[Callable[[Guide], None]] = (
    places.found,
    places.repositories,
    places.members,
    places.people,
    places.labels,
    places.hooks,
    sources.contents,
    sources.commits,
    sources.branches,
    sources.database,
    talk.issues,
    checking.checks,
    checking.workflows,
    settings.environments,
    talk.pulls,
    places.manifest,
    places.apps,
)

UNDESCRIBED = frozenset(
    {
        "GET /repos/<owner>/<repo>/<any(zipball, tarball):form>",
        "GET /repos/<owner>/<repo>/contents",
        "GET /repos/<owner>/<repo>/git/matching-refs/",
        "GET /repos/<owner>/<repo>/git/refs",
        "GET /repos/<owner>/<repo>/git/refs/<path:name>",
    }
)
"""Addresses that GitHub answers for the sake of older clients, and describes no longer; nothing
of the bot's may call them."""


def walk(github: EmbeddedGitHub) -> None:
    """Call every operation of a fresh embedded GitHub that runs with an IdleRunner. Raise
    RepowrightError where an answer has another status than the documentation says."""
    guide = Guide(github)
    for stage in STAGES:
        stage(guide)


def unvisited(github: EmbeddedGitHub, exchanges: Sequence[Exchange]) -> list[str]:
    """The embedded GitHub's own routes that no exchange has had a good answer from. Those by a
    repository's id are the same handlers, where a redirect leads."""
    rules = {
        f"{method} {rule.rule.removeprefix(REST)}"
        for rule in github.app.url_map.iter_rules()
        if rule.rule.startswith(REST) and "repository_id" not in rule.rule
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.endpoint != "rest.unknown"
    }
    met = {_rule(github, e) for e in exchanges if e.status < 400}
    return sorted(rules - met - UNDESCRIBED)


def _rule(github: EmbeddedGitHub, exchange: Exchange) -> str:
    address = github.app.url_map.bind("localhost")
    try:
        rule, _ = address.match(
            f"{REST}{unquote(exchange.path)}", method=exchange.method, return_rule=True
        )
    except HTTPException:
        return ""
    return f"{exchange.method} {rule.rule.removeprefix(REST)}"
