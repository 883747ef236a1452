"""What a change did is told from git's own diff, without any of its words."""

import subprocess
from pathlib import Path

import pytest

from bot.experience.moves import moves_of

CHANGES = [
    ("def f(a):\n    pass\n", "def f(a, b=1):\n    pass\n", "signature_changed"),
    ("x = 1\n", "x = 1\n\n\ndef g():\n    return 2\n", "definition_added"),
    ("def g():\n    return 2\n", "x = 1\n", "definition_removed"),
    ("value = shelf.lids\n", "value = shelf.lid\n", "renamed"),
    (
        "from a import b\n\n\ndef f():\n    b()\n",
        "def f():\n    from a import b\n    b()\n",
        "import_delayed",
    ),
    ("def f(a):\n    return a[1:]\n", "def f(a):\n    return a[2:]\n", "number_changed"),
    ("if a < b:\n    c()\n", "if a <= b:\n    c()\n", "comparison_changed"),
    ("raise KeyError(a)\n", "raise ValueError(a)\n", "exception_changed"),
    ("def f(a):\n    a()\n", "def f(a):\n    return a()\n", "return_changed"),
    ("a = b\n", "a = b.encode('utf-8')\n", "encoding_changed"),
    ("a = list(b)\n", "a = sorted(b)\n", "order_changed"),
    ("a = b / c\n", "a = round(b / c, 2)\n", "rounding_changed"),
]


def _diff(folder: Path, old: dict[str, bytes], new: dict[str, bytes]) -> str:
    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        return done.stdout.decode("utf-8", "replace")

    git("init", "-q")
    for files in (old, new):
        for path in folder.rglob("*"):
            if path.is_file() and ".git" not in path.parts:
                path.unlink()
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "a")
    return git("diff", "HEAD~1", "HEAD")


def _moves(folder: Path, old: dict[str, bytes], new: dict[str, bytes]) -> list[str]:
    return [move.name for move in moves_of(_diff(folder, old, new))]


@pytest.mark.parametrize(("old", "new", "move"), CHANGES)
def test_moves_are_told_from_a_diff(tmp_path: Path, old: str, new: str, move: str) -> None:
    assert move in _moves(tmp_path, {"a.py": old.encode()}, {"a.py": new.encode()})


def test_a_front_that_offers_more(tmp_path: Path) -> None:
    found = _moves(tmp_path, {"p/__init__.py": b""}, {"p/__init__.py": b"from p.a import A\n"})
    assert found[0] == "reexported"


def test_tests_and_other_files_are_left_out(tmp_path: Path) -> None:
    old = {"check_tests/test_a.py": b"a = 1\n", "README.md": b"if a\n", "b.bin": b"\0\1"}
    new = {"check_tests/test_a.py": b"raise A\n", "README.md": b"raise a\n", "b.bin": b"\0\2"}
    assert _moves(tmp_path, old, new) == []


def test_strange_names_and_letters_are_only_text(tmp_path: Path) -> None:
    old = {"é ü.py": b"a = 1\x0c\xff\r\n"}
    new = {"é ü.py": "raise A\u2028\n".encode(), "gone.py": b""}
    assert "refusal_added" in _moves(tmp_path, old, new)


@pytest.mark.parametrize("diff", ["", "no diff", "--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n+a\n"])
def test_what_is_no_diff_tells_nothing(diff: str) -> None:
    assert moves_of(diff) == ()
