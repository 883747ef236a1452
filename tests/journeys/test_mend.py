"""Tests fail in a repository that the bot did not write: a pull request mends the code."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mend_journey import MEND, RECORDED, SETTINGS, Mend, tree_of

from bot.base import Outcome
from bot.checks.results import read_report
from bot.model.replay import ReplayModel
from bot.model.scripted import ScriptedModel
from bot.phases.run import Phase
from bot.ports.forge import ForgeError
from bot.runs.failure import NothingToMend

pytestmark = pytest.mark.timeout(300)

FILES = tree_of(MEND / "repository")
WORKFLOW = ".github/workflows/tests.yml"

MEMBERS = """1. A card without an end is compared with a day. @everyone, closes #1

<edit path="shelfmark/members.py">
<find>
        return on <= self.until
</find>
<replace>
        return {value}
</replace>
</edit>"""


@pytest.fixture
def mend(tmp_path: Path) -> Iterator[Mend]:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    with Mend(tmp_path) as made:
        yield made


def begun(mend: Mend, files: dict[str, bytes] = FILES) -> tuple[str, int]:
    """The commit whose tests fail, and the issue that tells of it."""
    base = mend.push(files)
    return base, mend.begin(base, mend.checked(base))


def test_three_bugs_are_mended_in_one_pull_request(mend: Mend) -> None:
    base, issue = begun(mend)
    replayed = ReplayModel.from_folder(RECORDED)
    state, services = mend.go(issue, replayed, legs=1)
    # A job that dies between two legs is no loss; the next one knows the ref alone.
    while state.phase is not Phase.DONE:
        state, services = mend.go(issue, replayed, legs=1)
    assert state.outcome is Outcome.PASSED
    spent = services.record.spent()
    assert SETTINGS.budget.usd is not None
    assert 0 < spent.usd < SETTINGS.budget.usd
    assert spent.calls == len(replayed.steps)

    pull = services.forge.pull_request(state.pull_request)
    assert (pull.head_sha, pull.base, pull.draft) == (state.head, "main", False)
    report = read_report(mend.checked(pull.head_sha))
    assert (report.green, report.passed) == (True, 49)
    assert state.branch == f"repowright/{issue}-tests-fail-on-main"
    before, after = services.git.read(base), services.git.read(state.head)
    changed = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}
    # No test, no setting of the tests, no workflow.
    assert changed == {f"shelfmark/{name}.py" for name in ("fines", "loans", "members")}
    assert services.git.head("main") == base

    text = pull.body
    assert f"closes #{issue} when merged" in text
    assert "### `Member.card_is_good` in `shelfmark/members.py`" in text
    assert "at `shelfmark/members.py:34`: `return on <= self.until`" in text
    assert "> `Member.card_is_good` in `shelfmark/members.py` compares `on <= self.until`" in text
    assert "`shelfmark/members.py` line 34, which the change touches, is run by 3 of 3" in text
    assert "+        return self.until is None or on <= self.until" in text
    assert "No test that passed before fails with it." in text
    told = services.forge.issue(issue)
    assert told.title == "Tests fail on `main`"
    assert "13 tests of 49 fail on `main`." in told.body
    assert [c.author_is_bot for c in told.comments] == [True]


def test_repairs_that_touch_tests_or_break_callers_are_refused_and_none_is_left(
    mend: Mend,
) -> None:
    """Nothing helps: the pull request is closed, and the issue tells what was tried."""
    mend.settings = SETTINGS.model_copy(
        update={"caps": SETTINGS.caps.model_copy(update={"code_large": 2, "code_small": 2})}
    )
    base, issue = begun(mend)
    test_instead = '1. No.\n\n<file path="tests/test_members.py">\npass\n</file>'
    settings_instead = (
        '1. No.\n\n<edit path="pyproject.toml">\n<find>\naddopts = "--strict-markers"\n</find>\n'
        '<replace>\naddopts = "--co"\n</replace>\n</edit>'
    )
    broken = (
        '1. No.\n\n<edit path="shelfmark/members.py">\n<find>\n    def card_is_good(self, on: date)'
        "\n</find>\n<replace>\n    def card_is_good(self, on: date, *, strict: bool)\n</replace>"
        "\n</edit>"
    )
    model = ScriptedModel(
        {
            "code.1/repair#1": test_instead,
            "code.1/repair#2": broken,
            "code.1/repair#3": MEMBERS.format(value="on < self.until"),
            "code.2/repair#1": settings_instead,
            "code.2/repair#*": MEMBERS.format(value="on > self.until"),
        }
    )
    state, services = mend.go(issue, model)
    asked = {r.step: r.messages[-1].content for r in model.requests}
    assert "part of the given specification" in asked["code.1/repair#2"]
    assert "needs `strict`, which is not given" in asked["code.1/repair#3"]
    assert "pyproject.toml` was not shown" in asked["code.2/repair#2"]
    assert state.outcome is Outcome.BUDGET_EXHAUSTED
    assert state.pull_request == 0
    services.git.fetch()
    head = services.git.head(state.branch)
    assert head is not None
    assert services.git.read(head) == services.git.read(base)
    assert services.forge.pull_request(issue + 1).state == "closed"
    told = mend.comments(issue)[0]
    assert "36 of 49 check tests pass" in told
    assert "What was tried and did not help: 2 repairs" in told
    assert "+        return on > self.until" in told
    assert "@everyone" not in told
    assert "closes #1" not in told

    # Whoever has it go on gets another pull request once there is something to merge.
    mend.say(issue, "/repowright retry")
    value = "self.until is None or on <= self.until"
    state, services = mend.go(issue, ScriptedModel({"*": MEMBERS.format(value=value)}))
    pull = services.forge.pull_request(state.pull_request)
    assert (pull.number, pull.state, pull.draft) == (issue + 2, "open", True)
    assert state.best is not None
    assert (state.outcome, state.best.passed) == (Outcome.MODEL_FAILED, 38)
    assert f"closes #{issue}" not in pull.body
    assert "38 of 49" in mend.comments(issue)[0]


def test_code_that_needs_no_repair_is_left_alone(mend: Mend) -> None:
    """The workflow passes when it runs again on the same commit; later the branch has moved on.
    Neither costs a call, a branch or a pull request."""
    checks = "      - uses: repowright/"
    once = checks.replace("- uses", "- if: github.event_name == 'push'\n        uses")
    workflow = FILES[WORKFLOW].decode().replace(checks, once).encode()
    base = mend.push({**FILES, WORKFLOW: workflow})
    report = mend.checked(base)
    issue = mend.begin(base, report)
    mend.run_again(base)
    state, services = mend.go(issue, ScriptedModel({}))
    assert (state.outcome, state.pull_request) == (Outcome.PASSED, 0)
    assert "what failed differs from run to run" in mend.comments(issue)[0]

    assert mend.begin(base, report) == issue
    mend.push({"NEWS": b"1.4.1\n"})
    state, services = mend.go(issue, ScriptedModel({}))
    assert state.outcome is Outcome.CANCELLED
    assert "has moved on from" in mend.comments(issue)[1]
    assert services.git.head(state.branch) is None
    assert services.record.spent().calls == 0


def test_a_report_without_failures_opens_no_issue(mend: Mend) -> None:
    with pytest.raises(NothingToMend):
        mend.begin(mend.push(FILES), {})
    with pytest.raises(ForgeError):
        mend.hub().forge.issue(1)
