"""What the code of a file defines and refers to, in the forms that Python has for it."""

import pytest

from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile

PROJECT = {
    "pkg/__init__.py": "from .store import *\nfrom .shapes import Box as Crate\n",
    "pkg/shapes.py": (
        "import typing as t\n"
        "from dataclasses import dataclass\n\n"
        "@dataclass(frozen=True)\n"
        "class Box:\n"
        "    width: int\n"
        "    label: str = ''\n\n"
        "    class Lid:\n"
        "        def open(self) -> None: ...\n\n"
        "    @property\n"
        "    def lid(self) -> 'Box.Lid':\n"
        "        return Box.Lid()\n\n"
        "    def fold(self, times: int = 1) -> 'Box': ...\n\n"
        "@t.overload\n"
        "def pack(what: str) -> str: ...\n"
        "@t.overload\n"
        "def pack(what: int) -> int: ...\n"
        "def pack(what, *, tight=False):\n"
        "    return what\n"
    ),
    "pkg/store.py": (
        "from __future__ import annotations\n"
        "import typing as t\n"
        "if t.TYPE_CHECKING:\n"
        "    from .shapes import Box\n\n"
        "__all__ = ['Store', '_open']\n\n"
        "class Base:\n"
        "    def close(self) -> None: ...\n"
        "    async def drain(self) -> None: ...\n\n"
        "class Store(Base):\n"
        "    def __init__(self, first: Box) -> None:\n"
        "        self.first = first\n"
        "    def __enter__(self) -> Store: ...\n"
        "    def take(self) -> Box: ...\n\n"
        "class Hidden: ...\n"
        "def _open() -> Store: ...\n"
    ),
    "pkg/deep/__init__.py": "",
    "pkg/deep/work.py": (
        "from ..shapes import pack\n"
        "from .. import store as shop, _open\n"
        "import pkg\n"
        "try:\n"
        "    from pkg.extra import fast\n"
        "except ImportError:\n"
        "    fast = None\n\n"
        "class Shelf(pkg.Crate):\n"
        "    def __init__(self) -> None:\n"
        "        self.store = shop.Store(self)\n\n"
        "    def clear(self) -> None:\n"
        "        self.store.close()\n"
        "        super().fold()\n"
        "        self.store.first.lid.open()\n\n"
        "def run() -> None:\n"
        "    with _open() as opened:\n"
        "        opened.take().fold(2)\n\n"
        "async def drain(store: 'shop.Store | None') -> None:\n"
        "    await store.drain()\n\n"
        "@pack\n"
        "def later() -> None:\n"
        "    from pkg.extra import slow\n"
        "    slow()\n\n"
        "if __name__ == '__main__':\n"
        "    fast()\n"
    ),
    "pkg/extra.py": "def fast(): ...\ndef slow(): ...\n",
}
WORK = "pkg/deep/work.py"


def found() -> set[tuple[str, str, str]]:
    relations = change_of(PROJECT, PROJECT).relations
    return {(r.source, r.target, r.kind.value) for r in relations}


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        (WORK, "pkg/shapes.py::pack", "import"),
        (WORK, "pkg/store.py", "import"),
        (WORK, "pkg/__init__.py", "import"),
        (WORK, "pkg/extra.py::fast", "import"),
        ("pkg/__init__.py", "pkg/store.py", "import"),
        ("pkg/store.py", "pkg/shapes.py::Box", "import"),
        (f"{WORK}::Shelf", "pkg/shapes.py::Box", "inherit"),
        (f"{WORK}::Shelf.__init__", "pkg/store.py::Store", "call"),
        (f"{WORK}::Shelf.clear", "pkg/store.py::Base.close", "call"),
        (f"{WORK}::Shelf.clear", "pkg/shapes.py::Box.fold", "call"),
        (f"{WORK}::Shelf.clear", "pkg/shapes.py::Box.lid", "use"),
        (f"{WORK}::Shelf.clear", "pkg/shapes.py::Box.Lid.open", "call"),
        (f"{WORK}::run", "pkg/store.py::_open", "call"),
        (f"{WORK}::run", "pkg/store.py::Store.take", "call"),
        (f"{WORK}::run", "pkg/shapes.py::Box.fold", "call"),
        (f"{WORK}::drain", "pkg/store.py::Base.drain", "call"),
        (f"{WORK}::later", "pkg/shapes.py::pack", "use"),
        (f"{WORK}::later", "pkg/extra.py::slow", "call"),
        (WORK, "pkg/extra.py::fast", "call"),
        ("pkg/store.py::Store.take", "pkg/shapes.py::Box", "use"),
    ],
)
def test_a_reference_is_found_with_its_place(source: str, target: str, kind: str) -> None:
    assert (source, target, kind) in found()


def test_imports_for_type_checkers_are_told_apart() -> None:
    signals = {(r.source, r.target): r.signal for r in change_of(PROJECT, PROJECT).relations}
    assert signals["pkg/store.py", "pkg/shapes.py::Box"] == "typing"
    assert signals["pkg/__init__.py", "pkg/store.py"] == "star"
    assert signals[WORK, "pkg/extra.py::fast"] == "ast"


def test_a_local_name_hides_an_import() -> None:
    files = {
        "pkg/a.py": (
            "from pkg import b\n\n"
            "def f(b):\n    b.g()\n\n"
            "def g(xs):\n    return [b.g() for b in xs], {b: b.g() for b in xs}\n\n"
            "h = lambda b, *, c=1: b.g()\n"
        ),
        "pkg/b.py": "def g(): ...\n",
        "pkg/__init__.py": "",
    }
    kinds = {r.kind.value for r in change_of(files, files).relations}
    assert kinds == {"import"}


def test_calls_through_what_a_container_holds() -> None:
    files = {
        "p/a.py": (
            "from __future__ import annotations\n"
            "from p.b import B\n\n"
            "class Many:\n"
            "    def __init__(self, all: list[B], named: dict[str, B] | None) -> None:\n"
            "        self.all = all\n"
            "        self.named = named\n\n"
            "    def loop(self):\n"
            "        for one in self.all:\n            one.go()\n\n"
            "    def comprehend(self):\n        return [one.go() for one in self.all]\n\n"
            "    def pick(self):\n        self.named['x'].go()\n\n"
            "    def other(self):\n        self.all.go()\n"
        ),
        "p/b.py": "class B:\n    def go(self): ...\n",
    }
    calls = {r.source for r in change_of(files, files).relations if r.kind.value == "call"}
    assert calls == {f"p/a.py::Many.{name}" for name in ("loop", "comprehend", "pick")}


def test_definitions_in_all_their_forms() -> None:
    nodes = {n.id: n for n in change_of(PROJECT, PROJECT).nodes}
    box = nodes["pkg/shapes.py::Box"]
    assert box.decorators == ("dataclass(frozen=True)",)
    assert [(a.name, a.value) for a in box.attributes] == [("width", None), ("label", "''")]
    assert "pkg/shapes.py::Box.Lid.open" in nodes
    assert nodes["pkg/shapes.py::Box.lid"].decorators == ("property",)
    pack = nodes["pkg/shapes.py::pack"]
    assert [p.name for p in pack.parameters or ()] == ["what", "*", "tight"]
    assert nodes["pkg/store.py::Base.drain"].is_async
    assert nodes["pkg/store.py::Store"].attributes[0].holds == "Box"
    assert nodes["pkg/__init__.py::Crate"].exported_from == "pkg.shapes"


def test_definitions_in_blocks_that_share_the_scope() -> None:
    source = (
        "import sys\n"
        "match sys.platform:\n"
        "    case 'win32':\n        def a(): ...\n"
        "    case _:\n        def b(): ...\n"
        "for _ in (1,):\n    def c(): ...\n"
        "try:\n    def d(): ...\nexcept* ValueError:\n    def e(): ...\n"
    )
    names = {n.qualname for n in change_of({"m.py": source}, ["m.py"]).nodes}
    assert names >= {"a", "b", "c", "d", "e"}


def test_classes_that_name_themselves_as_base_do_not_hang() -> None:
    files = {
        "a.py": "from b import B\nclass A(A.X, B.A): ...\nA().go()\n",
        "b.py": "from a import A\nclass B(A.B, B): ...\nB().go()\n",
    }
    pairs = {r.files for r in change_of(files, files).relations}
    assert pairs == {("a.py", "b.py"), ("b.py", "a.py")}


def test_files_that_all_import_everything_of_each_other_cost_little() -> None:
    files = {
        f"m{i}.py": "".join(f"from m{j} import *\n" for j in range(30) if j != i) + "nobody()\n"
        for i in range(30)
    }
    files["m7.py"] += "def known(): ...\n"
    files["m8.py"] += "known()\n"
    change = change_of(files, files)
    calls = [(r.source, r.target) for r in change.relations if r.kind.value == "call"]
    assert calls == [("m8.py", "m7.py::known")]


def test_one_changed_file_is_read_with_what_the_state_knows_of_the_others() -> None:
    state, _ = reconcile(ProjectState(), change_of(PROJECT, PROJECT))
    alone = change_of({WORK: PROJECT[WORK]}, PROJECT, state)
    whole = [r for r in change_of(PROJECT, PROJECT).relations if r.files[0] == WORK]
    assert list(alone.relations) == whole
