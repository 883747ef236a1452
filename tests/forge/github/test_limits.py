"""GitHub's rate limits are obeyed as its documentation says, by all who use one credential."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from github_world import PLENTY, Machine, World

from bot.forge.embedded.limits import Limits
from bot.forge.embedded.store.access import Actor
from bot.forge.github.client import GitHubClient, GitHubSettings, pacer_for
from bot.forge.github.errors import Unclear
from bot.forge.github.forge import GitHubForge
from bot.forge.github.pace import Clock, Pacer
from bot.ports.forge import RateLimited
from bot.ports.writes import WriteLimits

SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}


class Town:
    """A world of its own where time passes only when the bot waits: `waits` are how long."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.machine = Machine(folder / "github", limits)
        self.world = World(self.machine, folder)
        self.waits: list[float] = []
        self.behind = timedelta()
        self.clock = Clock(now=self._now, sleep=self._sleep)

    def _now(self) -> float:
        return (self.machine.clock() - self.behind).timestamp()

    def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.machine.clock.move(timedelta(seconds=seconds))

    def client(self, pacer: Pacer | None = None, **settings: object) -> GitHubClient:
        return GitHubClient(
            GitHubSettings(
                api_url=f"{self.world.line.url}/api/v3",
                repository=f"ann/{self.world.lamp.name}",
                **{"seconds_between_writes": 0.0, **settings},
            ),
            self.world.app,
            pacer=pacer,
            clock=self.clock,
        )

    def close(self) -> None:
        self.world.line.close()
        self.machine.github.stop()


Build = Callable[..., Town]


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Build]:
    made: list[Town] = []

    def build(**limits: int) -> Town:
        names = ("person", "installation", "workflow", "anonymous")
        plenty = dict.fromkeys((*names, "content_minute", "content_hour"), PLENTY)
        made.append(Town(tmp_path, Limits(**{**plenty, **limits})))
        return made[-1]

    yield build
    for one in made:
        one.close()


def comment(town: Town, forge: GitHubForge, numbers: range) -> list[str]:
    """Comments on a new issue; what is there in the end."""
    world = town.world
    issue = world.store.issues.create(world.lamp, Actor(world.ann), "A lamp", "please")
    for number in numbers:
        forge.comment(f"run1:c.{number}", issue.number, f"No {number}")
    return [c.body.splitlines()[0] for c in world.store.issues.comments(issue)]


def test_content_is_paced_so_that_github_never_refuses(town: Build) -> None:
    """The pacer's own ceilings are those of GitHub: it waits before it is told to."""
    here = town(content_minute=4, content_hour=7)
    forge = GitHubForge(here.client(writes_per_minute=4, writes_per_hour=7, longest_wait=4000.0))
    assert comment(here, forge, range(9)) == [f"No {n}" for n in range(9)]
    posted = [w for w in here.world.line.writes if w.endswith("/comments")]
    assert len(posted) == 9
    assert sum(here.waits) == pytest.approx(3600, abs=10)


def test_a_secondary_limit_is_waited_for_as_told(town: Build) -> None:
    here = town(content_minute=4)
    forge = GitHubForge(here.client())
    assert comment(here, forge, range(9)) == [f"No {n}" for n in range(9)]
    refused = [w for w in here.world.line.writes if w.endswith("/comments")]
    assert len(refused) == 9 + 2
    assert sum(here.waits) == pytest.approx(120, abs=10)


def test_a_long_wait_is_handed_to_the_host_and_nothing_is_doubled(town: Build) -> None:
    here = town(content_hour=3)
    forge = GitHubForge(here.client())
    world = here.world
    issue = world.store.issues.create(world.lamp, Actor(world.ann), "A lamp", "please")

    def leg() -> None:
        for number in range(5):
            forge.comment(f"run1:c.{number}", issue.number, f"No {number}")

    with pytest.raises(RateLimited) as caught:
        leg()
    sent = len(world.line.writes)
    with pytest.raises(RateLimited):
        forge.repository()
    assert len(world.line.writes) == sent
    pause = caught.value.until.timestamp() - here.clock.now()
    assert 3000 < pause <= 3602
    here.machine.clock.move(timedelta(seconds=pause))
    leg()
    assert len(world.store.issues.comments(issue)) == 5
    assert sum(here.waits) < 150


@pytest.mark.parametrize("behind", [0, 10, -10])
def test_the_hours_quota_is_waited_for_by_githubs_clock(town: Build, behind: int) -> None:
    here = town(installation=12)
    here.behind = timedelta(minutes=behind)
    here.world.seed()
    client = here.client()
    url = client.repository.url
    with pytest.raises(RateLimited) as caught:
        for page in range(1, 20):
            client.get(f"{url}/commits", page=page)
    pause = caught.value.until.timestamp() - here.clock.now()
    assert pause == pytest.approx(3600, abs=30)
    here.machine.clock.move(timedelta(seconds=pause))
    assert client.get(f"{url}/commits", page=1)


def test_asking_again_for_what_is_the_same_costs_nothing(town: Build) -> None:
    here = town(installation=12)
    here.world.seed()
    client = here.client()
    for _ in range(40):
        assert client.get(f"{client.repository.url}/commits", per_page=1)
    assert here.waits == []


def test_one_that_is_told_to_wait_waits_for_all(scripted, reply, town: Build) -> None:
    here = town()
    settings = GitHubSettings(
        api_url=f"{scripted.url}/api/v3", repository="ann/lamp", seconds_between_writes=0.0
    )
    pacer = pacer_for(settings, here.clock)
    token = here.world.token_of("ann")
    one, two = (GitHubClient(settings, token, pacer=pacer, clock=here.clock) for _ in range(2))
    scripted.script = [reply(429, SECONDARY, {"Retry-After": "400"}), reply(200, {"n": 1})]
    with pytest.raises(RateLimited):
        one.get("/x")
    with pytest.raises(RateLimited):
        two.get("/x")
    assert len(scripted.seen) == 1
    here.machine.clock.move(timedelta(seconds=400))
    assert two.get("/x")["n"] == 1


def test_waits_that_nobody_told_grow_and_are_forgotten(scripted, reply, town: Build) -> None:
    here = town()
    settings = GitHubSettings(api_url=f"{scripted.url}/api/v3", repository="ann/lamp")
    client = GitHubClient(settings, here.world.token_of("ann"), clock=here.clock)
    limited, good = reply(403, SECONDARY), reply(200, {"n": 1})
    scripted.script = [limited, limited, limited, good, limited, good]
    with pytest.raises(RateLimited) as caught:
        client.get("/x")
    pause = caught.value.until.timestamp() - here.clock.now()
    assert [*here.waits, pause] == pytest.approx([60, 120, 240], abs=1)
    here.machine.clock.move(timedelta(seconds=pause))
    here.waits.clear()
    assert [client.get("/x")["n"] for _ in range(2)] == [1, 1]
    assert here.waits == pytest.approx([60], abs=1)


@pytest.mark.parametrize("kind", ["RATE_LIMITED", "RATE_LIMIT"])
def test_graphql_says_that_it_is_limited_in_a_good_answer(
    scripted, reply, town: Build, kind: str
) -> None:
    here = town()
    settings = GitHubSettings(api_url=f"{scripted.url}/api/v3", repository="ann/lamp")
    client = GitHubClient(settings, here.world.token_of("ann"), clock=here.clock)
    reset = {
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": str(int(here.clock.now()) + 1000),
        "X-RateLimit-Resource": "graphql",
    }
    errors = {"errors": [{"type": kind, "message": "API rate limit exceeded"}]}
    scripted.script = [reply(200, errors, reset), reply(200, {"n": 1})]
    with pytest.raises(RateLimited):
        client.transport.graphql_query("mutation { x }", {})
    assert client.get("/x")["n"] == 1


@pytest.mark.parametrize(
    "headers", [{}, {"X-RateLimit-Remaining": "4999", "X-RateLimit-Resource": "graphql"}]
)
def test_graphql_tells_of_a_secondary_limit_in_a_good_answer(
    scripted, reply, town: Build, headers: dict[str, str]
) -> None:
    here = town()
    settings = GitHubSettings(api_url=f"{scripted.url}/api/v3", repository="ann/lamp")
    client = GitHubClient(settings, here.world.token_of("ann"), clock=here.clock)
    scripted.script = [
        reply(200, {"errors": [SECONDARY]}, headers),
        reply(200, {"data": {"x": 1}}, headers),
    ]
    assert client.transport.graphql_query("mutation { x }", {})[1] == {"data": {"x": 1}}
    assert here.waits == pytest.approx([60], abs=1)


def test_a_write_that_is_answered_503_may_have_been_done(scripted, reply, town: Build) -> None:
    here = town()
    settings = GitHubSettings(api_url=f"{scripted.url}/api/v3", repository="ann/lamp")
    client = GitHubClient(settings, here.world.token_of("ann"), clock=here.clock)
    scripted.script = [reply(503, {}, {"Retry-After": "30"}), reply(200, {"n": 1})]
    with pytest.raises(Unclear):
        client.transport.requestJsonAndCheck("POST", "/x", input={})
    assert len(scripted.seen) == 1
    assert here.waits == []
    assert client.get("/x")["n"] == 1
    assert here.waits == pytest.approx([30], abs=1)


class Woken(Exception):
    """Stops a writer that sleeps."""


def test_writers_that_slept_through_a_limit_go_on_one_by_one() -> None:
    """One sleeps until 10 for the gap; then GitHub wants quiet until 105, and another comes."""
    now = [0.0]
    sleeps: list[float] = []

    def sleep(seconds: float) -> None:
        sleeps.append(seconds)
        if len(sleeps) == 1:
            now[0] = 5.0
            pacer.hold(100.0)
            with pytest.raises(Woken):
                pacer.wait()
            now[0] = 10.0
        elif len(sleeps) == 2:
            raise Woken
        else:
            now[0] += seconds

    limits = WriteLimits(gap=10.0, per_minute=PLENTY, per_hour=PLENTY)
    pacer = Pacer(limits, clock=Clock(lambda: now[0], sleep))
    pacer.wait()
    pacer.wait()
    assert sleeps == [10.0, 100.0, 105.0]
    assert now == [115.0]


def test_downloads_wait_for_limits_like_everything_else(scripted, reply, town: Build) -> None:
    here = town()
    settings = GitHubSettings(api_url=f"{scripted.url}/api/v3", repository="ann/lamp")
    client = GitHubClient(settings, here.world.token_of("ann"), clock=here.clock)
    url = f"{scripted.url}/api/v3/repos/ann/lamp"
    artifact = {"id": 5, "name": "report", "expired": False}
    scripted.script = [
        reply(200, {"url": url, "html_url": f"{scripted.url}/ann/lamp"}),
        reply(200, {"total_count": 1, "artifacts": [artifact]}),
        reply(429, SECONDARY, {"Retry-After": "40"}),
        reply(200, headers={"Content-Type": "application/zip"}, body=b"PK.."),
    ]
    assert GitHubForge(client).artifact(9, "report") == b"PK.."
    assert 40 in [round(seconds) for seconds in here.waits]
