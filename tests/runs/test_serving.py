"""A labelled issue becomes a run, over real webhooks, and nothing is lost or doubled."""

import sys
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from server_town import SECRET, Town, eventually

from bot.base import Outcome, RepowrightError
from bot.forge.embedded.store import Actor

sys.path.insert(0, str(Path(__file__).parent.parent / "journeys"))
from tally_journey import REPLIES, WRONG

pytestmark = pytest.mark.timeout(300)

LABEL = "repowright"
WRITTEN = {"code.*/write/tally/counting.py#1": WRONG}


def test_a_labelled_issue_becomes_a_green_pull_request(working_town: Town) -> None:
    town = working_town
    town.replies = REPLIES
    place = town.repository()
    with town.server(poll_seconds=300):
        issue = town.open_issue(place, town.ann, LABEL)
        eventually("the end of the run", lambda: town.outcome(place, issue) is not None)
        said = len(town.comments(place, issue.number))
        town.say(place, issue.number, town.ann, "/repowright run")
        eventually("the answer", lambda: len(town.comments(place, issue.number)) == said + 2)
        eventually("rest", town.is_idle)
    assert town.outcome(place, issue) is Outcome.PASSED
    state = town.run(place, issue)
    assert state is not None
    assert state.best is not None
    assert state.best.passed == 5
    talk = town.comments(place, issue.number)
    assert [login for login, _ in talk] == ["repowright[bot]", "ann", "repowright[bot]"]
    assert talk[-1][1].startswith("This spec is built, and its check tests pass.")
    assert len(town.branches(place)) == 1


def test_an_empty_repository_gets_its_first_commit_and_a_branch(town: Town) -> None:
    place = town.repository()
    with town.server():
        issue = town.open_issue(place, town.ann, LABEL, given=False)
        eventually("the pull request", lambda: bool(town.store.pulls.of(place)))
        eventually("the end of the run", lambda: town.outcome(place, issue) is not None)
    assert town.outcome(place, issue) is Outcome.MODEL_FAILED
    assert len(town.branches(place)) == 1


def test_two_issues_of_a_repository_have_a_run_each_and_another_repository_too(
    town: Town,
) -> None:
    town.replies = WRITTEN
    places = [town.repository("one"), town.repository("two")]
    with town.server():
        issues = [
            (place, town.open_issue(place, town.ann, LABEL))
            for place in (places[0], places[0], places[1])
        ]
        for place, issue in issues:
            eventually("the wait for tests", partial(town.waits, place, issue))
    assert [len(town.branches(place)) for place in places] == [2, 1]


def test_deliveries_sent_twice_make_one_run(town: Town) -> None:
    town.replies = WRITTEN
    place = town.repository()
    with town.server():
        issue = town.open_issue(place, town.ann, LABEL)
        eventually("the wait for tests", lambda: town.waits(place, issue))
        before = town.run(place, issue)
        for delivery in town.store.hooks.deliveries(town.hook):
            town.github.webhooks.redeliver(town.hook, delivery)
        eventually("all sent", town.all_sent)
        eventually("all read", lambda: town.readiness()["deliveries"] == 0)
    assert town.run(place, issue) == before
    assert len(town.branches(place)) == 1
    assert len(town.comments(place, issue.number)) == 1


def test_what_a_stranger_labels_or_asks_for_starts_nothing(town: Town) -> None:
    town.replies = WRITTEN
    place = town.repository()
    with town.server():
        issue = town.open_issue(place, town.eve, LABEL)
        asked = town.say(place, issue.number, town.eve, "please\r\n/repowright run\r\n")
        eventually("rest", town.is_idle)
        assert town.run(place, issue) is None
        assert town.comments(place, issue.number) == [("eve", asked.body)]
        assert town.reactions(asked) == ["-1"]

        told = town.say(place, issue.number, town.dan, "/repowright run")
        eventually("the wait for tests", lambda: town.waits(place, issue))
        assert town.reactions(told) == ["+1"]


def test_a_command_starts_a_run_once_and_history_is_not_heard(town: Town) -> None:
    """A cancel that was said before there was a run does not cancel it."""
    town.replies = WRITTEN
    place = town.repository()
    with town.server():
        issue = town.open_issue(place, town.eve)
        early = town.say(place, issue.number, town.dan, "/repowright cancel")
        eventually("rest", town.is_idle)
        assert town.reactions(early) == ["+1"]
        answers = [body for login, body in town.comments(place, issue.number) if login != "dan"]
        assert [a.splitlines()[0] for a in answers] == [
            "There is no run for this issue. `/repowright run` starts one."
        ]
        town.say(place, issue.number, town.dan, "Now then.\r\n\r\n/repowright retry\r\n")
        eventually("the wait for tests", lambda: town.waits(place, issue))
    assert len(town.branches(place)) == 1


def test_an_edited_comment_starts_nothing(town: Town) -> None:
    place = town.repository()
    with town.server():
        issue = town.open_issue(place, town.ann)
        comment = town.say(place, issue.number, town.ann, "What a nice idea.")
        town.clock.move(timedelta(seconds=2))
        town.store.issues.edit_comment(place, comment, Actor(town.ann), "/repowright run")
        eventually("rest", town.is_idle)
    assert town.run(place, issue) is None


def test_stored_deliveries_are_worked_by_the_next_process(town: Town) -> None:
    """The first process takes the deliveries and dies before it has worked one."""
    town.replies = WRITTEN
    place = town.repository()
    with town.endpoint_without_worker():
        issue = town.open_issue(place, town.ann, LABEL)
        eventually("all sent", town.all_sent)
    with town.server():
        assert town.run(place, issue) is None or town.readiness()["working"]
        eventually("the wait for tests", lambda: town.waits(place, issue))
        assert town.readiness()["deliveries"] == 0
    assert len(town.branches(place)) == 1


def test_what_no_delivery_told_is_found_at_the_start(town: Town) -> None:
    """The server is away while issues are labelled, by a maintainer and by a stranger, and while
    a command is said."""
    town.replies = WRITTEN
    places = [town.repository(name) for name in ("one", "two", "three")]
    labelled = town.open_issue(places[0], town.ann, LABEL)
    strange = town.open_issue(places[1], town.eve, LABEL)
    asked = town.open_issue(places[2], town.eve)
    town.say(places[2], asked.number, town.dan, "/repowright run")
    eventually("all lost", town.all_sent)
    with town.server():
        eventually("the labelled run", lambda: town.waits(places[0], labelled))
        eventually("the asked run", lambda: town.waits(places[2], asked))
        assert town.run(places[1], strange) is None


def test_a_rejected_spec_is_read_anew_when_somebody_says_run(town: Town) -> None:
    town.replies = WRITTEN
    place = town.repository()
    with town.server():
        issue = town.open_issue(place, town.ann, LABEL, body="Make me something nice.")
        eventually("the refusal", lambda: town.outcome(place, issue) is Outcome.SPEC_REJECTED)
        good = town.open_issue(place, town.ann)
        now = town.store.issues.get(issue.id)
        town.store.issues.edit(place, now, Actor(town.ann), body=good.body)
        town.say(place, issue.number, town.ann, "/repowright run")
        eventually("the wait for tests", lambda: town.waits(place, issue))
    assert len(town.branches(place)) == 1


def test_closing_the_issue_cancels_the_run(town: Town) -> None:
    town.replies = WRITTEN
    place = town.repository()
    with town.server(poll_seconds=300):
        issue = town.open_issue(place, town.ann, LABEL)
        eventually("the wait for tests", lambda: town.waits(place, issue))
        now = town.store.issues.get(issue.id)
        town.store.issues.edit(place, now, Actor(town.ann), state="closed")
        eventually("the end", lambda: town.outcome(place, issue) is Outcome.CANCELLED)


def test_a_run_is_cancelled_on_the_pull_request_and_goes_on_when_asked(town: Town) -> None:
    town.replies = WRITTEN
    place = town.repository()
    with town.server(poll_seconds=300):
        issue = town.open_issue(place, town.ann, LABEL)
        eventually("the wait for tests", lambda: town.waits(place, issue))
        state = town.run(place, issue)
        assert state is not None
        town.say(place, state.pull_request, town.dan, "/repowright cancel")
        eventually("the end", lambda: town.outcome(place, issue) is Outcome.CANCELLED)
        town.say(place, issue.number, town.ann, "/repowright run")
        eventually("another wait for tests", lambda: town.waits(place, issue))
    assert len(town.branches(place)) == 1


def test_a_run_at_a_gate_keeps_no_workflow_and_goes_on_when_a_person_speaks(town: Town) -> None:
    """Each sweep looks at the run, and ends the workflow that it began where nothing is new."""
    town.settings = town.settings.model_copy(update={"gates": ("architecture",)})
    town.replies = WRITTEN
    place = town.repository()

    def at_the_gate() -> bool:
        state = town.run(place, issue)
        return state is not None and state.wait.kind == "person"

    with town.server(sweep_minutes=0.02):
        issue = town.open_issue(place, town.ann, LABEL)
        eventually("the gate", at_the_gate)
        eventually("no workflow", lambda: town.attended(issue) is False)
        town.say(place, issue.number, town.ann, "/repowright approve")
        eventually("the wait for tests", lambda: town.waits(place, issue))


def test_a_token_works_for_the_repositories_that_are_named(town: Town) -> None:
    town.replies = WRITTEN
    named, other = town.repository("named"), town.repository("other")
    bot = town.store.accounts.create("robot")
    for place in (named, other):
        town.store.repositories.add_collaborator(place, bot, "write")
        town.store.hooks.create(
            f"http://127.0.0.1:{town.port}/webhook",
            repository=place,
            events=("*",),
            secret=SECRET,
        )
    town.store.hooks.edit(town.hook, active=False)
    server = town.server(
        environ={"REPOWRIGHT_TOKEN": town.store.tokens.create_personal(bot)},
        app_id="",
        private_key_path=None,
        repositories=("ann/named",),
    )
    with server:
        strange = town.open_issue(other, town.ann, LABEL)
        issue = town.open_issue(named, town.ann, LABEL)
        eventually("the wait for tests", lambda: town.waits(named, issue))
        eventually("all read", lambda: town.readiness()["deliveries"] == 0)
    assert town.run(other, strange) is None


def test_a_stopped_server_leaves_a_run_that_the_next_goes_on_with(working_town: Town) -> None:
    town = working_town
    town.replies = REPLIES
    place = town.repository()
    server = town.server()
    with server:
        issue = town.open_issue(place, town.ann, LABEL)
        eventually("the run", lambda: town.run(place, issue) is not None)
    before = town.run(place, issue)
    assert before is not None
    assert before.outcome is None
    with town.server():
        eventually("the end of the run", lambda: town.outcome(place, issue) is not None)
    assert town.outcome(place, issue) is Outcome.PASSED
    assert len(town.branches(place)) == 1
    assert len(town.comments(place, issue.number)) == 1


@pytest.mark.parametrize(
    ("changes", "environ", "said"),
    [
        (
            {},
            {"REPOWRIGHT_WEBHOOK_SECRET": ""},
            "there is no webhook secret (set REPOWRIGHT_WEBHOOK_SECRET to the secret that "
            "GitHub signs deliveries with)",
        ),
        (
            {"app_id": ""},
            {},
            "there are no GitHub credentials (set app_id and private_key_path of a GitHub App, "
            "or REPOWRIGHT_TOKEN)",
        ),
        (
            {"private_key_path": None},
            {"REPOWRIGHT_PRIVATE_KEY": "no key at all"},
            "The private key of the GitHub App cannot be used (give the whole PEM file that "
            "GitHub made for the App)",
        ),
        (
            {"private_key_path": None},
            {},
            "the GitHub App has no private key (set private_key_path to its PEM file, or "
            "REPOWRIGHT_PRIVATE_KEY to what is in it)",
        ),
        (
            {"app_id": "", "private_key_path": None},
            {"REPOWRIGHT_TOKEN": "ghp_something"},
            "a token without repositories (name them in `repositories`; only an App knows where "
            "it is installed)",
        ),
        (
            {},
            {"REPOWRIGHT_TOKEN": "ghp_something"},
            "both a GitHub App and a token are given (unset REPOWRIGHT_TOKEN, or app_id to work "
            "as the token's account)",
        ),
    ],
)
def test_a_server_that_cannot_serve_says_why(
    town: Town, changes: dict[str, object], environ: dict[str, str], said: str
) -> None:
    with pytest.raises(RepowrightError) as refused:
        town.server(environ=environ, **changes)
    assert refused.value.sentence == said


def test_port_and_folder_are_one_servers(town: Town) -> None:
    town.server().start()
    another = town.folder / "another"
    with pytest.raises(RepowrightError) as refused:
        town.server(data=another)
    assert refused.value.what == f"port {town.port} is in use"
    town.server(data=another, port=0)
    with pytest.raises(RepowrightError) as refused:
        town.server(port=0)
    assert refused.value.what == "another server uses this data folder"
