"""Realized structure, relations and drift."""

from bot.spec.model import Location
from bot.state.model import ProjectState
from bot.state.reconcile import Drift, change_of, drift_of, reconcile

PROJECT = {
    "pkg/__init__.py": "from .core import Engine\n__all__ = ['Engine']\n",
    "pkg/core.py": (
        "from pkg import parts\n"
        "from pkg.parts import Wheel as W\n\n"
        "class Engine(W):\n"
        "    size: int = 3\n\n"
        "    def start(self, *, key: str = 'x') -> None:\n"
        "        parts.spin(W())\n"
        "        self.running = True\n"
    ),
    "pkg/parts.py": "class Wheel:\n    pass\n\n\nasync def spin(wheel, /, times=1): ...\n",
}


def test_relations_of_imports_calls_and_inheritance() -> None:
    change = change_of(PROJECT, PROJECT)
    found = {(r.source, r.target, r.kind.value) for r in change.relations}
    assert ("pkg/core.py", "pkg/parts.py::Wheel", "import") in found
    assert ("pkg/core.py::Engine", "pkg/parts.py::Wheel", "inherit") in found
    assert ("pkg/core.py::Engine.start", "pkg/parts.py::spin", "call") in found
    assert ("pkg/__init__.py", "pkg/core.py::Engine", "import") in found


def test_nodes_carry_signatures_attributes_and_exports() -> None:
    nodes = {n.id: n for n in change_of(PROJECT, PROJECT).nodes}
    start = nodes["pkg/core.py::Engine.start"]
    assert [(p.name, p.star, p.default) for p in start.parameters or ()] == [
        ("self", "", None),
        ("*", "", None),
        ("key", "", "'x'"),
    ]
    assert [a.name for a in nodes["pkg/core.py::Engine"].attributes] == ["size", "running"]
    assert nodes["pkg/parts.py::spin"].is_async
    assert nodes["pkg/__init__.py::Engine"].exported_from == "pkg.core"


def test_drift_names_what_is_missing_new_and_changed() -> None:
    state, _ = reconcile(ProjectState(), change_of(PROJECT, PROJECT))
    asked = tuple(n.model_copy(update={"asked": (Location(file="a.md"),)}) for n in state.nodes)
    planned = state.model_copy(update={"nodes": asked})
    now = {"pkg/parts.py": "class Tyre: ...\n\ndef spin(wheel, speed): ...\n"}
    _, drift = reconcile(planned, change_of(now, PROJECT))
    assert drift.not_realized == ("pkg/parts.py::Wheel",)
    assert drift.not_planned == ("pkg/parts.py::Tyre",)
    assert [(c.node, c.planned, c.realized) for c in drift.changed] == [
        ("pkg/parts.py::spin", "async spin(wheel, /, times=1)", "spin(wheel, speed)")
    ]


def planned(files: dict[str, str]) -> ProjectState:
    """A state in which the documents ask for everything that these files define."""
    state, _ = reconcile(ProjectState(), change_of(files, files))
    asked = tuple(
        n.model_copy(update={"asked": (Location(file="a.md"),), "realized": False})
        for n in state.nodes
    )
    return state.model_copy(update={"nodes": asked})


SPIN = "class Tyre:\n    def roll(self): ...\n\n\ndef spin({}): ...\n"


def test_drift_is_measured_against_the_plan_whatever_came_between() -> None:
    state, _ = reconcile(planned(PROJECT), change_of(PROJECT, PROJECT))
    for parameters in ("wheel, speed", "wheel, speed, far"):
        change = change_of({"pkg/parts.py": SPIN.format(parameters)}, PROJECT)
        state, _ = reconcile(state, change)
    drift = drift_of(state)
    assert drift.not_realized == ("pkg/parts.py::Wheel",)
    assert drift.not_planned == ("pkg/parts.py::Tyre",)
    assert [(c.planned, c.realized) for c in drift.changed] == [
        ("async spin(wheel, /, times=1)", "spin(wheel, speed, far)")
    ]
    state, _ = reconcile(state, change_of(PROJECT, PROJECT))
    assert drift_of(state) == Drift()


def test_drift_names_the_outermost_of_what_is_missing_and_nothing_private() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/core.py": "class _Hidden:\n    def seen(self): ...\n\n\nLIMIT = 3\n",
    }
    state, _ = reconcile(planned(PROJECT), change_of(files, files))
    drift = drift_of(state)
    assert drift.not_realized == (
        "pkg/__init__.py::Engine",
        "pkg/__init__.py::__all__",
        "pkg/core.py::Engine",
        "pkg/parts.py",
    )
    assert drift.not_planned == ()


def test_what_carries_out_a_planned_base_is_no_drift() -> None:
    base = "class Split:\n    def divide(self): ...\n"
    plan = {"app/split.py": base, "app/even.py": "class Even:\n    pass\n"}
    nodes = change_of(plan, plan).nodes
    asked = (Location(file="A.md", line=1, column=1),)
    planned = ProjectState(nodes=tuple(n.model_copy(update={"asked": asked}) for n in nodes))
    code = {
        "app/split.py": base,
        "app/even.py": (
            "from app.split import Split\n\n\nclass Even(Split):\n"
            "    def divide(self): ...\n\n    def extra(self): ...\n\n\n"
            "class Odd(Even):\n    def divide(self): ...\n"
        ),
    }
    state, _ = reconcile(planned, change_of(code, code))
    assert drift_of(state).not_planned == ("app/even.py::Even.extra", "app/even.py::Odd")


def test_a_file_that_does_not_parse_keeps_what_is_asked_for() -> None:
    state, _ = reconcile(ProjectState(), change_of(PROJECT, PROJECT))
    after, _ = reconcile(state, change_of({"pkg/parts.py": "def broken(:\n"}, PROJECT))
    assert "pkg/parts.py::spin" not in {n.id for n in after.nodes}
    assert "pkg/core.py::Engine" in {n.id for n in after.nodes}


def test_file_by_file_ends_where_the_whole_does() -> None:
    """Whatever the order of the changes, and with names that sort between a file and its inside."""
    files = {
        **PROJECT,
        "pkg/core.pyx/__init__.py": "X = 1\n",
        "a/b/c.py": "from pkg import Engine\n",
    }
    whole = change_of(files, files)
    expected, _ = reconcile(ProjectState(), whole)
    for order in (sorted(files), sorted(files, reverse=True)):
        state = ProjectState()
        for path in order:
            part = whole.model_copy(
                update={
                    "paths": (path,),
                    "nodes": tuple(n for n in whole.nodes if n.path == path),
                    "relations": tuple(r for r in whole.relations if r.files[0] == path),
                }
            )
            state, drift = reconcile(state, part)
            assert reconcile(state, part) == (state, drift)
        assert state == expected
    assert [n.id for n in expected.nodes] == sorted(n.id for n in expected.nodes)
    assert {"a", "a/b", "pkg", "pkg/core.pyx"} <= {n.id for n in expected.nodes}


def test_what_a_file_no_longer_holds_leaves_the_state_with_its_relations() -> None:
    state, _ = reconcile(ProjectState(), change_of(PROJECT, PROJECT))
    after, _ = reconcile(state, change_of({"pkg/core.py": "size = 1\n"}, PROJECT, state))
    inside = [n.id for n in after.inside("pkg/core.py")]
    assert inside == ["pkg/core.py::size"]
    assert {r.files for r in after.realized} == {("pkg/__init__.py", "pkg/core.py")}
    assert len(after.nodes) == len(state.nodes) - 1
