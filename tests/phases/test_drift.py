"""Drift as people see it: a table in the review, one line a node in the run's ref."""

from bot.phases.record import drift_lines
from bot.phases.show import drift_table
from bot.spec.model import Location, Parameter
from bot.state.model import Node, NodeKind, ProjectState
from bot.state.reconcile import change_of, drift_of, reconcile


def planned(*names: str) -> ProjectState:
    """A plan of one file that holds these functions, each with a parameter `a`."""
    asked = (Location(file="a.md"),)
    file = Node(id="a.py", kind=NodeKind.FILE, name="a.py", asked=asked)
    functions = (
        Node(
            id=f"a.py::{name}",
            kind=NodeKind.FUNCTION,
            name=name,
            parent="a.py",
            parameters=(Parameter(name="a"),),
            asked=asked,
        )
        for name in names
    )
    return ProjectState(nodes=tuple(sorted((file, *functions), key=lambda n: n.id)))


def coded(state: ProjectState, source: str) -> ProjectState:
    return reconcile(state, change_of({"a.py": source}, ["a.py"]))[0]


def test_a_plan_without_code_has_no_drift() -> None:
    state = planned("f")
    assert drift_table(state) == drift_lines(drift_of(state)) == ""


def test_code_as_planned_agrees() -> None:
    state = coded(planned("f"), "def f(a): ...\n")
    assert drift_table(state) == "Plan and code agree."
    assert drift_lines(drift_of(state)) == ""


def test_what_differs_is_counted_shown_and_written_down() -> None:
    state = coded(planned("f", "g"), "def f(a, b='`@x`|'): ...\n\n\ndef h(): ...\n")
    table = drift_table(state)
    assert "1 planned and not realized, 1 changed, 1 realized and not planned" in table
    assert "| planned, not realized | `a.py::g` |  |" in table
    assert "| changed | `a.py::f` | `f(a)` → `f(a, b=''@x'\\|')` |" in table
    assert "| realized, not planned | `a.py::h` |  |" in table
    assert drift_lines(drift_of(state)).splitlines() == [
        "! a.py::f: f(a) => f(a, b='`@x`|')",
        "- a.py::g",
        "+ a.py::h",
    ]


def test_a_long_table_is_cut_and_says_so() -> None:
    names = [f"f{i:03}" for i in range(40)]
    state = coded(planned(*names), "")
    table = drift_table(state)
    assert "40 planned and not realized" in table
    assert "| and 28 more, all in `drift.diff` of the run's ref |" in table
    assert len(drift_lines(drift_of(state)).splitlines()) == 40


def test_a_repair_shows_as_the_lines_that_went() -> None:
    before = coded(planned("f", "g"), "def f(a): ...\n")
    after = coded(before, "def f(a): ...\n\n\ndef g(a): ...\n")
    gone = set(drift_lines(drift_of(before)).splitlines())
    assert gone - set(drift_lines(drift_of(after)).splitlines()) == {"- a.py::g"}
