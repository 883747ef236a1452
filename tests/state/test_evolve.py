"""Reconciling what changed gives what reconciling everything gives."""

import pytest

from bot.state.evolve import change_between
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile

FILES = {
    "app/__init__.py": "from app.shapes import Square\n",
    "app/shapes.py": (
        "class Shape:\n    def area(self) -> int: ...\n\n\n"
        "class Square(Shape):\n    def area(self) -> int:\n        return side()\n\n\n"
        "def side() -> int:\n    return 2\n"
    ),
    "app/report.py": (
        "from app.shapes import Shape, side\n\n\n"
        "def show(shape: Shape) -> str:\n    return f'{shape.area()} of {side()}'\n"
    ),
    "app/main.py": (
        "from app import Square\nfrom app.report import show\n\n\n"
        "def main() -> None:\n    print(show(Square()))\n"
    ),
}
SHAPES = FILES["app/shapes.py"]
EDITS = {
    "a body": {"app/shapes.py": SHAPES.replace("return 2", "return 3")},
    "a function is renamed": {"app/shapes.py": SHAPES.replace("side", "edge")},
    "a method moves to the base": {
        "app/shapes.py": SHAPES.replace(
            "class Square(Shape):\n    def area(self) -> int:\n        return side()",
            "class Square(Shape):\n    pass",
        )
    },
    "a re-export changes": {
        "app/__init__.py": "from app.report import show\nfrom app.shapes import Shape as Square\n"
    },
    "a file comes": {"app/extra.py": "from app.main import main\n\nmain()\n"},
    "a file goes": {"app/report.py": None},
    "a file no longer parses": {"app/report.py": "def broken(:\n"},
    "data changes": {"notes.txt": "later\n"},
}


def reconciled(files: dict[str, str], state: ProjectState | None = None) -> ProjectState:
    return reconcile(state or ProjectState(), change_of(files, files))[0]


@pytest.mark.parametrize("edit", EDITS)
def test_a_small_change_gives_what_looking_at_everything_gives(edit: str) -> None:
    edited = {**FILES, **EDITS[edit]}
    after = {p: t for p, t in edited.items() if t is not None}
    state = reconciled(FILES)
    evolved, _ = reconcile(state, change_between(FILES, after, state))
    whole = reconciled(after)
    assert evolved.realized == whole.realized
    kept = {n.id for n in evolved.nodes if "::" in n.id}
    assert kept == {n.id for n in whole.nodes if "::" in n.id}


def test_files_that_nothing_changed_are_not_looked_at() -> None:
    state = reconciled(FILES)
    after = {**FILES, "app/main.py": FILES["app/main.py"] + "\n\nmain()\n"}
    assert change_between(FILES, after, state).paths == ("app/main.py",)
    after = {**FILES, **EDITS["a body"]}
    touched = change_between(FILES, after, state).paths
    assert set(touched) >= {"app/shapes.py", "app/report.py"}
