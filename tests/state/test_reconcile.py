"""Realized structure, relations and drift."""

from bot.spec.model import Location
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile

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
    assert ("pkg/core.py", "pkg/parts.py::Wheel", "inherit") in found
    assert ("pkg/core.py", "pkg/parts.py::spin", "call") in found
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


def test_a_file_that_does_not_parse_keeps_what_is_asked_for() -> None:
    state, _ = reconcile(ProjectState(), change_of(PROJECT, PROJECT))
    after, _ = reconcile(state, change_of({"pkg/parts.py": "def broken(:\n"}, PROJECT))
    assert "pkg/parts.py::spin" not in {n.id for n in after.nodes}
    assert "pkg/core.py::Engine" in {n.id for n in after.nodes}
