"""Methods that the check tests call on their class."""

import pytest

from bot.spec.folder import spec_from_files
from bot.state.model import ProjectState
from bot.state.skeleton import skeleton_of
from bot.state.structure import structure_of
from bot.verify.class_calls import called_on_class

ARCHITECTURE = """# Architecture

## `keys/__init__.py`

Re-exports `Key` from `keys/key.py`.

## `keys/key.py`

- `Key`: a key.
  - `__init__(self, text: str)`
  - `parse(self, text: str) -> Key`: reads a key.
  - `join(self, other: Key, sep: str = ".") -> str`: both with a dot.
"""


def skeleton(calls: str) -> str:
    tests = f"from keys.key import Key\n\n\ndef test_it():\n{calls}"
    files = {
        "PRD.md": "# Keys\n\nKeys are read from text and written as text again.\n",
        "architecture_design.md": ARCHITECTURE,
        "check_tests/test_keys.py": tests,
    }
    spec = spec_from_files({p: t.encode() for p, t in files.items()}, "keys")
    state = called_on_class(spec, ProjectState(nodes=structure_of(spec)))
    return skeleton_of(state)["keys/key.py"]


def test_a_method_that_is_called_on_its_class_takes_the_class() -> None:
    text = skeleton("    assert Key.parse('a.b')\n")
    assert "    @classmethod\n    def parse(cls, text: str) -> Key:" in text
    assert "    def join(self, other: Key" in text


@pytest.mark.parametrize(
    "call",
    [
        "    assert Key('a').parse('a.b')\n",
        "    assert Key.parse(Key('a'), 'a.b')\n",
        "    key = Key('a')\n    assert key.parse('a.b')\n",
        "    assert Key.join(Key('a'), Key('b'))\n",
        "    assert list(map(Key.parse, []))\n",
    ],
)
def test_a_method_that_gets_an_instance_keeps_it(call: str) -> None:
    text = skeleton(call)
    assert "classmethod" not in text
    assert "    def parse(self, text: str) -> Key:" in text
