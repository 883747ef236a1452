"""What the maintainer can do from a page, and that nobody else can do it for them."""

import pytest
from pages_browser import Browser
from pages_story import Story, commit

from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store.events import Event

COMMENTS = "/dana/durations/issues/1/comments"


def comments(story: Story) -> list[str]:
    return [comment.body for comment in story.store.issues.comments(story.issue)]


def test_a_comment_steers_the_bot(story: Story, browser: Browser) -> None:
    told: list[Event] = []
    story.store.bus.subscribe(told.append)
    token = browser.token("/dana/durations/issues/1")
    page = browser.post(COMMENTS, {"token": token, "body": "/repowright status"})
    assert page.status == 200
    assert page.answer.url.startswith(f"{browser.url}/dana/durations/issues/1#issuecomment-")
    assert "/repowright status" in page.texts("p")
    (event,) = told
    assert (event.name, event.action) == ("issue_comment", "created")
    assert event.actor.user.login == "dana"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
    ],
)
def test_another_site_cannot_comment(
    story: Story, browser: Browser, headers: dict[str, str]
) -> None:
    token = browser.token("/dana/durations/issues/1")
    before = comments(story)
    assert browser.post(
        COMMENTS, {"token": token, "body": "/repowright run"}, **headers
    ).status in (
        403,
        404,
    )
    assert comments(story) == before


def test_a_form_needs_its_token_and_its_cookie(
    github: EmbeddedGitHub, story: Story, browser: Browser
) -> None:
    token = browser.token("/dana/durations/issues/1")
    before = comments(story)
    assert browser.post(COMMENTS, {"token": "", "body": "x"}).status == 403
    assert browser.post(COMMENTS, {"token": "é", "body": "x"}).status == 403
    assert Browser(github.url).post(COMMENTS, {"token": token, "body": "x"}).status == 403
    assert comments(story) == before


def test_without_local_trust_pages_are_for_reading(
    github: EmbeddedGitHub, story: Story, browser: Browser
) -> None:
    token = browser.token("/dana/durations/issues/1")
    del github.app.config["PAGES_MAINTAINER"]
    page = browser.get("/dana/durations/issues/1")
    assert page.all("form") == []
    assert "reading only" in page.text
    assert browser.post(COMMENTS, {"token": token, "body": "x"}).status == 403
    assert browser.get("/dana/durations/issues/new").status == 404


def test_a_refusal_is_said_in_words(story: Story, browser: Browser) -> None:
    token = browser.token("/dana/durations/issues/1")
    page = browser.post(COMMENTS, {"token": token, "body": " "})
    assert page.status == 422
    assert "body can't be blank" in page.text


def test_an_issue_can_be_opened_from_the_browser(story: Story, browser: Browser) -> None:
    form = browser.get("/dana/durations/issues/new")
    assert {tag.get("name") for tag in form.all("input")} == {"token", "title", "label"}
    token = browser.token("/dana/durations/issues/new")
    data = {"token": token, "title": "Weeks", "body": "# PRD", "label": "repowright"}
    page = browser.post("/dana/durations/issues", data)
    assert page.texts("h1") == ["Weeks #3"]
    made = story.store.issues.find(story.repository, 3)
    assert made is not None
    assert [label.name for label in story.store.issues.label_rows(made)] == ["repowright"]


def test_closing_and_opening_again(story: Story, browser: Browser) -> None:
    token = browser.token("/dana/durations/issues/1")
    address = "/dana/durations/issues/1/state"
    page = browser.post(address, {"token": token, "state": "closed"})
    assert page.texts("span", "pill")[0] == "Closed"
    assert "dana closed this" in page.text
    page = browser.post(address, {"token": token, "state": "open"})
    assert page.texts("span", "pill")[0] == "Open"


def test_a_finished_pull_request_can_be_merged(story: Story, browser: Browser) -> None:
    assert "Merge" not in browser.get("/dana/durations/pull/2").texts("button")
    story.store.pulls.set_draft(story.repository, story.pull, story.bot, draft=False)
    page = browser.get("/dana/durations/pull/2")
    assert "Merge" in page.texts("button")
    token = browser.token("/dana/durations/pull/2")
    page = browser.post("/dana/durations/pull/2/merge", {"token": token})
    assert page.texts("span", "pill")[0] == "Merged"
    assert "durations/" in browser.get("/dana/durations").links()


def test_a_conflict_offers_no_merge(story: Story, browser: Browser) -> None:
    files: dict[str, str | bytes] = {"durations/parse.py": "other\n"}
    commit(story.store, story.repository, story.dana, "main", files, "Clash", story.clock)
    story.store.pulls.set_draft(story.repository, story.pull, story.bot, draft=False)
    assert "Merge" not in browser.get("/dana/durations/pull/2").texts("button")
    token = browser.token("/dana/durations/pull/2")
    page = browser.post("/dana/durations/pull/2/merge", {"token": token})
    assert "Pull Request is not mergeable" in page.text
