"""The wire: what is repeated, what never is, how long the bot waits, and what errors show."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from loopback import Stalled
from pydantic import SecretStr

from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.credentials import AppKey, Credentials, GivenToken
from bot.forge.github.errors import Refused, Unclear
from bot.forge.github.forge import GitHubForge
from bot.forge.github.pace import Clock, Pacer
from bot.ports.forge import ForgeError, RateLimited, Transient
from bot.ports.writes import WriteLimits
from bot.serverconfig import ServerSettings

TOKEN = "s3cret-token-of-the-test"
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."


@dataclass
class Time:
    """A clock that stands still but for the waits, which it remembers."""

    seconds: float = 1_800_000_000.0
    waits: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds

    @property
    def clock(self) -> Clock:
        return Clock(now=lambda: self.seconds, sleep=self.sleep)


@pytest.fixture
def stalled() -> Iterator[Stalled]:
    server = Stalled()
    yield server
    server.close()


@pytest.fixture
def time() -> Time:
    return Time()


Connect = Callable[..., GitHubClient]


@pytest.fixture
def connect(scripted, time: Time) -> Connect:
    def build(credentials: Credentials | None = None, **settings: object) -> GitHubClient:
        given = {"api_url": f"{scripted.url}/api/v3", "seconds_between_writes": 0.0, **settings}
        return GitHubClient(
            GitHubSettings(repository="ann/lamp", **given),
            credentials or GivenToken(token=SecretStr(TOKEN)),
            clock=time.clock,
        )

    return build


def write(client: GitHubClient) -> object:
    return client.transport.requestJsonAndCheck("POST", "/repos/ann/lamp/issues", input={"a": 1})[1]


def test_reads_are_repeated_after_errors(scripted, connect: Connect, reply) -> None:
    scripted.script = [reply(502), reply(0), reply(503), reply(200, {"login": "ann"})]
    assert connect().get("/user")["login"] == "ann"
    assert scripted.calls == ["GET /api/v3/user"] * 4


def test_queries_of_graphql_are_repeated_and_its_mutations_never(
    scripted, connect: Connect, reply
) -> None:
    ann = reply(200, {"data": {"viewer": {"login": "ann"}}})
    scripted.script = [reply(502), reply(0), ann]
    client = connect()
    assert client.is_me("Ann")
    assert scripted.calls == ["POST /api/graphql"] * 3
    scripted.script = [reply(502), ann]
    with pytest.raises(Unclear, match="status 502"):
        client.transport.graphql_query("mutation { ready(id: 1) { id } }", {})
    assert len(scripted.seen) == 4


def test_what_has_not_changed_is_not_sent_again(scripted, connect: Connect, reply) -> None:
    def conditions() -> list[str | None]:
        return [seen.headers.get("If-None-Match") for seen in scripted.seen]

    page = reply(200, {"n": 1}, {"ETag": '"one"'})
    newer = reply(200, {"n": 2}, {"ETag": '"two"'})
    scripted.script = [page, reply(304, body=b""), newer, reply(304, body=b"")]
    client = connect()
    assert [client.get("/runs", head="x")["n"] for _ in range(4)] == [1, 1, 2, 2]
    assert conditions() == [None, '"one"', '"one"', '"two"']
    scripted.script = [reply(200, {"n": 3})]
    assert client.get("/runs", head="y")["n"] == 3
    assert conditions()[-1] is None


def test_a_read_gives_up_with_one_sentence(scripted, connect: Connect, reply) -> None:
    scripted.script = [reply(502)] * 9
    with pytest.raises(ForgeError, match=r"^GET /user: GitHub answered with status 502 \("):
        connect(read_attempts=3).get("/user")
    assert len(scripted.seen) == 3


def test_an_unreachable_host_is_named_without_its_innards(time: Time) -> None:
    settings = GitHubSettings(api_url="http://127.0.0.1:9/api/v3", repository="ann/lamp")
    client = GitHubClient(settings, GivenToken(token=SecretStr(TOKEN)), clock=time.clock)
    with pytest.raises(ForgeError) as caught:
        client.get("/user")
    assert caught.value.what == "GitHub could not be reached: connection refused"


def test_a_server_of_the_settings_patience_waits_no_longer(stalled: Stalled) -> None:
    """A write that is not answered in time may have been done."""
    settings = ServerSettings(api_url=f"{stalled.url}/api/v3", timeout_seconds=1)
    github = settings.github("ann/lamp").model_copy(update={"read_attempts": 1})
    client = GitHubClient(github, GivenToken(token=SecretStr(TOKEN)))
    began = monotonic()
    with pytest.raises(Transient, match="GitHub could not be reached: no answer in time"):
        client.get("/user")
    with pytest.raises(Unclear, match="no answer in time"):
        write(client)
    assert 1.9 < monotonic() - began < 15


@pytest.mark.parametrize("status", [0, 500, 502, 503, 504])
def test_an_unclear_write_is_never_repeated_blindly(
    scripted, connect: Connect, reply, status: int
) -> None:
    scripted.script = [reply(status, {"message": "?"}), reply(201, {"id": 1})]
    with pytest.raises(Unclear):
        write(connect())
    assert len(scripted.seen) == 1


def test_a_page_of_a_proxy_is_no_success(scripted, connect: Connect, reply) -> None:
    page = reply(200, headers={"Content-Type": "text/html"}, body=b"<html>sign in</html>")
    scripted.script = [page, page]
    with pytest.raises(Unclear):
        write(connect())
    with pytest.raises(ForgeError, match="not from the GitHub API"):
        connect().get("/user")


def test_half_an_answer_is_no_success(scripted, connect: Connect, reply) -> None:
    scripted.script = [reply(201, body=b'{"id": '), reply(200, body=b'{"id": ')]
    with pytest.raises(Unclear, match="cannot be read"):
        write(connect())
    with pytest.raises(ForgeError, match="cannot be read"):
        connect().get("/user")


@pytest.mark.parametrize(
    ("status", "headers", "message", "wait"),
    [
        (403, {"Retry-After": "7"}, SECONDARY, 7.0),
        (429, {"Retry-After": "3"}, "Too many requests", 3.0),
        (429, {}, "Too many requests", 60.0),
        (403, {}, SECONDARY, 60.0),
        (
            403,
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000030"},
            "API rate limit exceeded for installation",
            31.0,
        ),
    ],
)
def test_a_rate_limit_is_waited_for_by_reads_and_writes(
    scripted,
    connect: Connect,
    time: Time,
    reply,
    status: int,
    headers: dict[str, str],
    message: str,
    wait: float,
) -> None:
    refusal = reply(status, {"message": message}, headers)
    scripted.script = [refusal, reply(200, {"login": "ann"})]
    connect().get("/user")
    assert time.waits == [wait]
    time.seconds, time.waits = 1_800_000_000.0, []
    scripted.script = [refusal, reply(201, {"id": 1})]
    assert write(connect()) == {"id": 1}
    assert time.waits == [wait]
    assert scripted.calls[-2:] == ["POST /api/v3/repos/ann/lamp/issues"] * 2


def test_a_wait_that_is_too_long_is_an_error_that_says_so(
    scripted, connect: Connect, time: Time, reply
) -> None:
    scripted.script = [reply(403, {"message": SECONDARY}, {"Retry-After": "3000"})]
    with pytest.raises(RateLimited, match="rate limit is reached until 08:50:00 UTC") as caught:
        write(connect())
    assert caught.value.until.timestamp() == time.seconds + 3000
    assert time.waits == []


def test_a_plain_refusal_is_told_with_its_reason(scripted, connect: Connect, reply) -> None:
    errors = [{"field": "body", "code": "custom", "message": "body is too long"}, "and more"]
    scripted.script = [reply(422, {"message": "Validation Failed", "errors": errors})]
    with pytest.raises(Refused, match="Validation Failed; body is too long; and more") as caught:
        write(connect())
    assert caught.value.status == 422
    assert len(scripted.seen) == 1


def test_a_missing_permission_is_named(scripted, connect: Connect, reply) -> None:
    message = {"message": "Resource not accessible by integration"}
    headers = {"X-Accepted-GitHub-Permissions": "issues=write"}
    scripted.script = [reply(403, message, headers)]
    with pytest.raises(Refused, match=r"\(the credential needs issues=write\)"):
        write(connect())


def test_a_write_follows_a_renamed_repository(scripted, connect: Connect, reply) -> None:
    """GitHub answers a write to a former name with 307, which PyGithub takes for a success."""
    there = {"Location": f"{scripted.url}/api/v3/repositories/7/issues"}
    scripted.script = [reply(307, {"message": "Moved Permanently"}, there), reply(201, {"id": 5})]
    assert write(connect()) == {"id": 5}
    assert scripted.calls[-1] == "POST /api/v3/repositories/7/issues"
    assert scripted.seen[-1].body == b'{"a": 1}'


def test_redirects_that_end_nowhere_are_an_error(scripted, connect: Connect, reply) -> None:
    there, back = ({"Location": f"{scripted.url}/api/v3/{name}"} for name in ("a", "b"))
    scripted.script = [reply(301, {}, there), reply(301, {}, back)] * 600
    with pytest.raises(ForgeError, match="GET /b: The API redirects in circles"):
        connect().get("/b")


def test_a_write_does_not_follow_to_another_host(scripted, connect: Connect, reply) -> None:
    scripted.script = [reply(307, {}, {"Location": "https://evil.example/api/v3/x"})]
    with pytest.raises(ForgeError, match=r"another host \(evil.example\)"):
        write(connect())


def test_writes_are_spaced_out(time: Time) -> None:
    pacer = Pacer(WriteLimits(gap=1.0, per_minute=5, per_hour=7), clock=time.clock)
    start = time.seconds
    sent = []
    for _ in range(8):
        pacer.wait()
        sent.append(time.seconds - start)
    assert sent == [0, 1, 2, 3, 4, 61, 62, 3601]


def test_the_token_is_in_no_error_and_no_log(
    scripted, connect: Connect, reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = f"token {TOKEN} and ghp_0123456789abcdefghij and https://u:{TOKEN}@host/x"
    scripted.script = [reply(422, {"message": said}), reply(200, {"token": TOKEN})]
    client = connect()
    with pytest.raises(Refused) as caught:
        write(client)
    client.get("/whatever")
    shown = f"{caught.value!r} {caught.value.sentence} {caught.value.__cause__!r} {caplog.text}"
    assert scripted.seen[0].headers["Authorization"] == f"token {TOKEN}"
    assert TOKEN not in shown
    assert "ghp_0123456789abcdefghij" not in shown


def app_key() -> AppKey:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    return AppKey(app_id="12", private_key=SecretStr(pem.decode()), installation_id=34)


def test_an_app_renews_its_token_before_the_hour_ends(
    scripted, connect: Connect, time: Time, reply
) -> None:
    def minted(token: str, ends: str) -> object:
        return reply(201, {"token": token, "expires_at": ends})

    scripted.script = [
        reply(502),
        minted("first", "2027-01-15T09:00:00Z"),
        reply(200, {}),
        reply(200, {}),
        minted("second", "2027-01-15T10:00:00Z"),
        reply(200, {}),
        reply(200, {"slug": "repowright"}),
    ]
    time.seconds = 1_800_000_000.0  # 2027-01-15T08:00:00Z
    client = connect(app_key())
    client.get("/a")
    time.seconds += 49 * 60
    client.get("/b")
    time.seconds += 2 * 60
    client.get("/c")
    used = [
        s.headers["Authorization"]
        for s in scripted.seen
        if s.path.startswith("/api/v3/") and len(s.path) == len("/api/v3/a")
    ]
    assert used == ["token first", "token first", "token second"]
    assert client.source.login() == "repowright[bot]"
    assert scripted.seen[1].path == "/api/v3/app/installations/34/access_tokens"
    assert scripted.seen[1].headers["Authorization"].startswith("Bearer ")


def test_a_bad_private_key_is_told_at_once(connect: Connect) -> None:
    key = AppKey(app_id="1", private_key=SecretStr("not a key"), installation_id=2)
    with pytest.raises(ForgeError, match="private key of the GitHub App cannot be used"):
        connect(key)


def test_a_given_token_asks_once_whose_it_is(scripted, connect: Connect, reply) -> None:
    viewer = {"data": {"viewer": {"login": "github-actions[bot]"}}}
    scripted.script = [reply(200, viewer)]
    client = connect(GivenToken(token=SecretStr(TOKEN)))
    assert client.is_me("GitHub-Actions[bot]")
    assert not client.is_me("github-actions")
    assert scripted.calls == ["POST /api/graphql"]


@pytest.mark.parametrize("url", ["", "github.com", "ftp://x/api", "https://t0ken@host/api/v3"])
def test_a_bad_base_url_is_told_without_its_content(connect: Connect, url: str) -> None:
    with pytest.raises(ForgeError, match="base URL of the GitHub API is not usable") as caught:
        connect(api_url=url)
    assert "t0ken" not in str(caught.value)


@pytest.mark.parametrize("name", ["lamp", "/lamp", "ann/", "a/b/c"])
def test_a_bad_repository_name_is_told(scripted, name: str) -> None:
    with pytest.raises(ForgeError, match="OWNER/NAME"):
        GitHubClient(
            GitHubSettings(api_url=scripted.url, repository=name),
            GivenToken(token=SecretStr(TOKEN)),
        )


def test_an_empty_token_is_told(connect: Connect) -> None:
    with pytest.raises(ForgeError, match="No GitHub token is given"):
        connect(GivenToken(token=SecretStr(" ")))


def test_a_transferred_issue_is_told(scripted, connect: Connect, reply) -> None:
    def repository(name: str) -> object:
        url = f"{scripted.url}/api/v3/repos/{name}"
        return reply(200, {"id": 1, "full_name": name, "url": url})

    elsewhere = f"{scripted.url}/api/v3/repos/bob/other"
    scripted.script = [
        repository("ann/lamp"),
        reply(200, {"number": 3, "url": f"{elsewhere}/issues/3", "repository_url": elsewhere}),
        repository("ann/lamp"),
        repository("bob/other"),
    ]
    with pytest.raises(
        ForgeError, match="bob/other: Issue 7 was transferred to another repository"
    ):
        GitHubForge(connect()).issue(7)
