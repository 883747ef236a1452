"""What agents are shown is the tree that they work on, not what a round before left."""

from datetime import UTC, datetime

from bot.config import Settings
from bot.phases.contexts import retriever, with_code
from bot.phases.run import RunState
from bot.spec.folder import spec_from_files
from bot.state.model import ProjectState
from bot.state.structure import structure_of

SPEC = spec_from_files(
    {"architecture_design.md": b"# Architecture\n\n## `zoo/a.py`\n\n- `f() -> int`: counts.\n"},
    "zoo",
    "check_tests",
)
BEST = {"zoo/a.py": "def f() -> int:\n    return 1\n"}
TAKEN_BACK = {
    "zoo/a.py": "from zoo.new import h\n\n\ndef f() -> int:\n    return h()\n",
    "zoo/new.py": "def h() -> int:\n    return 2\n",
}


def test_a_file_of_a_round_that_was_taken_back_is_not_shown() -> None:
    plan = RunState(
        run_id="r",
        repository="o/r",
        issue=1,
        title="zoo",
        branch="b",
        started=datetime(2026, 1, 1, tzinfo=UTC),
        settings=Settings(),
        spec_digest="d",
        project=ProjectState(nodes=structure_of(SPEC)),
    )
    head = with_code(plan, TAKEN_BACK)
    assert head.project.node("zoo/new.py::h") is not None
    assert [r.files for r in head.project.realized if r.target == "zoo/new.py::h"]
    best = with_code(head, BEST)
    assert best.project == with_code(plan, BEST).project
    found = retriever(best, SPEC, BEST, coded=True)
    assert found is not None
    brief = found.brief(["zoo/a.py"])
    assert "zoo/a.py" in brief.prefix
    assert "zoo/new.py" not in brief.prefix + brief.neighbours
