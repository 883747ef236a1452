"""Bad input of every kind: one clear sentence each, a named outcome, nothing done is lost."""

import pytest
from tally_journey import REPAIR, REPLIES, WRONG, Journey

from bot.base import Outcome
from bot.config import BudgetSettings, Settings
from bot.model.attempt import AttemptFailed
from bot.model.scripted import Answer
from bot.ports.model import ModelReply, Usage

pytestmark = pytest.mark.timeout(300)

COUNTING = "code.1/write/tally/counting.py"


def test_without_a_prd_the_spec_is_rejected_and_the_issue_says_why(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    tally_files.pop("PRD.md")
    journey.begin(tally_files)
    state, model, _ = journey.go({})
    assert (state.outcome, state.outcome_note) == (
        Outcome.SPEC_REJECTED,
        "The spec cannot be built as it stands.",
    )
    (comment,) = journey.comments()
    assert "spec rejected" in comment
    assert "product requirement document" in comment.lower()
    assert model.requests == ()
    assert state.pull_request == 0


CUT = ModelReply(
    text=WRONG[:200], finish_reason="length", usage=Usage(input=1, output=1), model="m", seconds=0
)
REFUSED = ModelReply(
    text="I cannot help with that.",
    finish_reason="refusal",
    usage=Usage(input=1, output=1),
    model="m",
    seconds=0,
)
EVIL_PATH = '<file path="../outside.py">\nx = 1\n</file>'


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("lorem ipsum", "it holds no block `<file path="),
        ("", "it is empty"),
        (WRONG.removesuffix("</file>"), "the block is only half there"),
        (CUT, "it was cut off at the limit of output tokens"),
        (REFUSED, "the model declined to answer"),
        (EVIL_PATH, "it gives `../outside.py`, and `tally/counting.py` was asked for"),
        (WRONG.replace("def count(", "def count(("), "`tally/counting.py` is not Python"),
    ],
    ids=["nonsense", "empty", "half", "cut", "refusal", "path", "syntax"],
)
def test_an_unusable_reply_is_asked_for_again_with_its_fault_named(
    journey: Journey, tally_files: dict[str, bytes], first: Answer, told: str
) -> None:
    journey.begin(tally_files)
    replies: dict[str, Answer] = {**REPLIES, f"{COUNTING}#1": first, f"{COUNTING}#2": WRONG}
    state, model, _ = journey.go(replies)
    assert state.outcome is Outcome.PASSED
    (second,) = [r for r in model.requests if r.step == f"{COUNTING}#2"]
    assert told in second.messages[-1].content


@pytest.mark.parametrize(
    ("repair", "told"),
    [
        (
            '<file path="check_tests/test_tally.py">\n</file>',
            "`check_tests/test_tally.py` is part of the given specification, which nobody may "
            "change",
        ),
        (
            '<file path="conftest.py">\ncollect_ignore = ["check_tests"]\n</file>',
            "`conftest.py` could configure the check tests away",
        ),
        (
            '<file path="pyproject.toml">\n[tool.pytest.ini_options]\naddopts = "-k no"\n</file>',
            "`pyproject.toml` may not configure pytest or coverage",
        ),
        (
            '<file path=".github/workflows/x.yml">\non: push\n</file>',
            "`.github/workflows/x.yml` belongs to the maintainers",
        ),
    ],
    ids=["check test", "conftest", "settings", "workflow"],
)
def test_a_repair_may_not_touch_what_decides(
    journey: Journey, tally_files: dict[str, bytes], repair: str, told: str
) -> None:
    journey.begin(tally_files)
    replies = {**REPLIES, "code.2/repair#1": repair, "code.2/repair#2": REPAIR}
    state, model, services = journey.go(replies)
    assert state.outcome is Outcome.PASSED
    (second,) = [r for r in model.requests if r.step == "code.2/repair#2"]
    assert told in second.messages[-1].content
    delivered = services.git.read(state.head)
    assert delivered["check_tests/test_tally.py"] == tally_files["check_tests/test_tally.py"]
    assert {"conftest.py", "pyproject.toml"}.isdisjoint(delivered)


def test_a_model_that_never_answers_usefully_ends_the_run_by_name(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, model, services = journey.go({"*": "no"})
    assert state.outcome is Outcome.MODEL_FAILED
    assert len(model.requests) == 3
    (comment,) = journey.comments()
    assert "model failed" in comment
    assert services.record.spent().calls == 3


def test_an_endpoint_that_is_down_ends_the_run_by_name(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, _ = journey.go({"*": AttemptFailed("the server cannot be reached")})
    assert state.outcome is Outcome.MODEL_FAILED
    assert "the server cannot be reached" in state.outcome_note


def test_a_budget_too_small_for_one_call_spends_nothing(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = Settings(model="claude-opus-4.8", budget=BudgetSettings(usd=0.001))
    journey.begin(tally_files)
    state, _, services = journey.go(REPLIES)
    assert state.outcome is Outcome.BUDGET_EXHAUSTED
    assert services.record.spent().usd == 0
    assert services.record.spent().calls == 0


def test_check_tests_that_do_not_collect_are_named(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    tally_files["check_tests/test_tally.py"] = b"def test_broken(:\n    pass\n"
    journey.begin(tally_files)
    state, _, _ = journey.go({})
    assert state.outcome is Outcome.SPEC_REJECTED
    (comment,) = journey.comments()
    assert "check_tests/test_tally.py:1" in comment


@pytest.mark.parametrize(
    "hostile",
    [
        "while True:\n    pass\n",
        "import os\nwhile True:\n    os.fork()\n",
        "open('/tmp/full', 'wb').write(b'x' * (1 << 34))\n",
        "import socket\nsocket.create_connection(('127.0.0.1', 1), 2)\n",
    ],
    ids=["loops", "forks", "fills the disk", "opens a socket"],
)
def test_a_hostile_program_fails_its_tests_and_harms_nothing(
    journey: Journey, tally_files: dict[str, bytes], hostile: str
) -> None:
    journey.settings = Settings.model_validate(
        {"model": "claude-opus-4.8", "checks": {"test_seconds": 5, "total_seconds": 20}}
    )
    journey.begin(tally_files)
    evil = WRONG.replace('"""Counts words."""\n', f'"""Counts words."""\n{hostile}', 1)
    replies = {
        **REPLIES,
        f"{COUNTING}#1": evil,
        "code.2/repair#1": WRONG,
        "code.3/repair#1": REPAIR,
    }
    state, _, _ = journey.go(replies)
    assert state.outcome is Outcome.PASSED
    assert [r.tests_passed for r in state.rounds if r.phase == "code"] == [0, 3, 5]


def test_the_environment_of_the_bot_is_not_seen(
    journey: Journey, tally_files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-bot")
    journey.begin(tally_files)
    spy = WRONG.replace(
        '    """How often each word occurs."""\n',
        '    """How often each word occurs."""\n'
        "    import os\n"
        "    if 'secret' in repr(os.environ):\n"
        "        raise RuntimeError(repr(os.environ))\n",
    )
    state, _, _ = journey.go({**REPLIES, f"{COUNTING}#1": spy})
    assert state.best is not None
    assert "sk-secret" not in state.model_dump_json()
    assert state.outcome is Outcome.PASSED


def test_documents_beyond_an_issues_limit_are_read_from_the_repository(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    tally_files["PRD.md"] += b"\nA word about words. " * 4_000
    journey.begin(tally_files)
    state, _, services = journey.go({}, legs=3)
    assert [r.verdict for r in state.rounds] == ["pass", "pass"]
    assert len(services.git.read(state.head)["docs/spec/PRD.md"]) > 65_536
    issue = services.forge.issue(state.issue)
    assert "[PRD.md](docs/spec/PRD.md)" in issue.body


def test_an_issue_at_the_limit_is_read_whole(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    room = 59_000 - sum(len(c) for p, c in tally_files.items() if p.endswith(".md"))
    tally_files["PRD.md"] += b"\n" + b"x" * room
    journey.begin(tally_files)
    state, _, services = journey.go({}, legs=3)
    assert [r.verdict for r in state.rounds] == ["pass", "pass"]
    assert 59_000 < len(services.forge.issue(state.issue).body) < 65_536


def test_a_requirement_that_nobody_has_is_named_and_no_repair_is_paid_for(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    tally_files["requirements.txt"] = b"tally-words-that-no-index-has==9.9\n"
    journey.begin(tally_files)
    state, model, _ = journey.go(REPLIES)
    assert state.outcome is Outcome.INFRASTRUCTURE_FAILED
    assert "tally-words-that-no-index-has" in state.outcome_note
    assert [r.role for r in model.requests] == ["coder"]
