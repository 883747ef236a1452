"""What happens to the repository and to the bot's App: docs/life.md, the last table. A run that can
do nothing rests as it was saved last."""

import pytest
from life_world import Life

from bot.forge.embedded.seed import APP_PERMISSIONS
from bot.phases.record import StateNewer, StateUnreadable, load
from bot.phases.run import Phase
from bot.ports.forge import Bar, Unavailable

pytestmark = pytest.mark.timeout(120)


def assert_rests(life: Life, bar: Bar) -> Unavailable:
    """A leg is refused for this reason, and nothing of it is kept."""
    git, ref = life.store.git(life.repository), life.saved().ref
    before = git.resolve(ref)
    with pytest.raises(Unavailable) as refused:
        life.go()
    assert refused.value.bar == bar
    assert git.resolve(ref) == before
    return refused.value


def test_an_archived_repository_is_left_alone_until_it_is_none(planned: Life) -> None:
    repositories = planned.store.repositories
    repositories.edit(planned.repository, planned.by, archived=True)
    assert_rests(planned, "archived")
    repositories.edit(planned.repository, planned.by, archived=False)
    assert planned.go().phase is Phase.CODE


def test_a_suspended_app_is_left_alone_until_it_is_let_in_again(planned: Life) -> None:
    suspended = planned.store.apps.suspend(planned.installation)
    with pytest.raises(Unavailable) as refused:
        planned.bot.forge.issue(1)
    assert refused.value.bar == "suspended"
    planned.store.apps.unsuspend(suspended)
    assert planned.go().phase is Phase.CODE


def test_an_app_that_is_not_installed_any_more(planned: Life) -> None:
    planned.store.apps.uninstall(planned.installation)
    with pytest.raises(Unavailable) as refused:
        planned.bot.forge.issue(1)
    assert refused.value.bar == "uninstalled"


@pytest.mark.parametrize(
    ("left", "named"),
    [
        ({"contents": "read"}, "may read and write the repository's contents"),
        ({"contents": "none"}, "gone, or may not be seen"),
        ({"issues": "none"}, "the credential needs issues=read"),
        ({"pull_requests": "none"}, "the credential needs pull_requests=read"),
    ],
)
def test_a_permission_that_is_taken_away_is_named(
    planned: Life, left: dict[str, str], named: str
) -> None:
    planned.store.repositories.edit(planned.repository, planned.by, private=True)
    planned.store.apps.grant(planned.installation, APP_PERMISSIONS | left)
    with pytest.raises(Unavailable, match=named):
        planned.go()
    planned.store.apps.grant(planned.installation, APP_PERMISSIONS)
    assert planned.go().phase is Phase.CODE


def test_a_deleted_repository_is_gone(planned: Life) -> None:
    planned.store.repositories.delete(planned.repository, planned.by)
    with pytest.raises(Unavailable) as refused:
        planned.bot.forge.issue(1)
    assert refused.value.bar == "gone"
    with pytest.raises(Unavailable) as refused:
        planned.bot.git.fetch()
    assert refused.value.bar == "gone"


def test_a_renamed_repository_is_followed_by_api_and_git(planned: Life) -> None:
    planned.store.repositories.edit(planned.repository, planned.by, name="better")
    state = planned.go()
    assert state.phase is Phase.CODE
    assert state.repository == "maintainer/better"
    assert state.issue_url.endswith("/maintainer/better/issues/1")
    assert state.pull_request_url.endswith("/maintainer/better/pull/2")


def test_a_ref_that_somebody_deleted_is_no_run(planned: Life) -> None:
    planned.delete_ref()
    state = planned.go()
    assert (state.legs, state.branch) == (1, "repowright/1-tally-2")


def test_a_ref_that_somebody_spoiled_cannot_be_read(planned: Life) -> None:
    planned.spoil_ref()
    with pytest.raises(StateUnreadable, match="refs/repowright/1: the run's state cannot be read"):
        planned.go()


def test_a_state_that_a_newer_version_wrote_is_left_to_that(planned: Life) -> None:
    """In the middle of an upgrade: what this version does not know must not get lost."""
    ref = planned.saved().ref
    files = dict(planned.bot.git.load_ref(ref) or {})
    files["state.json"] = files["state.json"].replace(b"{", b'{"teams": [], ', 1)
    with pytest.raises(StateNewer, match="a newer version of the bot works on this run"):
        load(files, ref)
