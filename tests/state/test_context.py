"""What the documents say of one file, and what they say of all."""

from bot.spec.folder import spec_from_files
from bot.spec.model import Spec
from bot.state.context import data_files, focus, material, not_in_source
from bot.state.model import ProjectState
from bot.state.structure import structure_of

PRD = "# Tally\n\nCounts things. Every count is shown with its unit, and totals are exact.\n"
HEADINGS = """# Architecture

Imports point one way: `app.py` -> `count.py`.

```text
tally/
├── app.py
└── count.py
```

## `tally/app.py`

- `main(argv: list[str]) -> int`: gives 2 for wrong use.

## `tally/count.py`

- `total(numbers: list[int]) -> int`: zero for nothing.

## Errors

Every message begins with `tally: `.
"""
LISTED = """# Architecture

```text
tally/
├── app.py     # the commands
└── count.py
```

Parts:

- `tally/app.py`: reads the arguments.
    - `main(argv: list[str]) -> int`
- `tally/count.py`: adds.
    - `total(numbers: list[int]) -> int`

Nothing is printed but the total.
"""
UML = """# UML

```mermaid
sequenceDiagram
    participant main
    participant total
    main->>total: total(numbers)
    total-->>main: sum
```
"""


def spec_of(architecture: str) -> tuple[Spec, ProjectState]:
    documents = {"PRD.md": PRD, "UML.md": UML, "architecture_design.md": architecture}
    spec = spec_from_files({p: t.encode() for p, t in documents.items()}, "tally")
    return spec, ProjectState(nodes=structure_of(spec))


def general(architecture: str) -> str:
    spec, state = spec_of(architecture)
    blocks = material(spec, 10_000, parsed=True, state=state)
    return next(b.text for b in blocks if b.name.startswith("architecture"))


def test_the_section_of_a_file_goes_to_its_author() -> None:
    spec, state = spec_of(HEADINGS)
    assert "gives 2 for wrong use" in focus(spec, state, "tally/app.py")
    assert "zero for nothing" not in focus(spec, state, "tally/app.py")
    assert "zero for nothing" in focus(spec, state, "tally/count.py")


def test_what_follows_the_last_file_is_for_all() -> None:
    spec, state = spec_of(HEADINGS)
    assert "Every message begins" not in focus(spec, state, "tally/count.py")
    assert "Every message begins with `tally: `." in general(HEADINGS)
    spec, state = spec_of(LISTED)
    assert "Nothing is printed" not in focus(spec, state, "tally/count.py")
    assert "Nothing is printed but the total." in general(LISTED)


def test_what_is_for_all_holds_neither_files_nor_the_tree() -> None:
    text = general(HEADINGS)
    assert "Imports point one way" in text
    assert "gives 2" not in text
    assert "├──" not in text
    assert "## `tally/app.py`" not in text


def test_without_a_state_the_architecture_is_shown_whole() -> None:
    spec, _ = spec_of(HEADINGS)
    shown = material(spec, 10_000, parsed=True)
    assert any("gives 2 for wrong use" in b.text for b in shown)
    assert not any("sequenceDiagram" in b.text for b in shown)
    assert any("sequenceDiagram" in b.text for b in material(spec, 10_000))


def test_items_of_a_list_end_where_the_next_begins() -> None:
    spec, state = spec_of(LISTED)
    assert "main(argv" in focus(spec, state, "tally/app.py")
    assert "total(numbers: list[int])" not in focus(spec, state, "tally/app.py")


def test_messages_come_with_the_files_at_both_ends() -> None:
    spec, state = spec_of(HEADINGS)
    for path in ("tally/app.py", "tally/count.py"):
        said = focus(spec, state, path)
        assert "main ->> total: total(numbers)" in said
        assert "total -->> main: sum" in said


def test_what_the_skeleton_says_is_not_said_twice() -> None:
    skeleton = 'def total(numbers: list[int]) -> int:\n    """Zero for nothing."""\n'
    said = "- `total(numbers: list[int]) -> int`: zero for nothing.\n- `limit: int`: at most 9.\n"
    assert not_in_source(said, skeleton) == "- `limit: int`: at most 9."
    other = "- `total(numbers)`: zero or more."
    assert not_in_source(other, skeleton) == other
    assert not_in_source("Prose that nobody repeats.", skeleton) == "Prose that nobody repeats."


def test_an_item_stays_where_one_below_it_says_more() -> None:
    skeleton = 'class Box:\n    def get(self, key):\n        """Supports many keys."""\n'
    said = (
        "- `Box`\n"
        "    - `get(self, key)`: Supports many keys.\n"
        "        - A number gives the item there.\n\n\n"
        "- `Box`\n"
        "    - `get(self, key)`: Supports many keys.\n"
    )
    assert not_in_source(said, skeleton).splitlines() == said.splitlines()[:3]


def test_data_files_are_listed_with_a_beginning_of_each_kind() -> None:
    files = {
        "PRD.md": PRD,
        "requirements.txt": "tabulate\n",
        "templates/mit.txt": "Copyright {{ year }}\n" + "x" * 1000,
        "templates/bsd.txt": "Redistribution\n",
        "samples/one.csv": "a,b\n1,2\n",
    }
    spec = spec_from_files({p: t.encode() for p, t in files.items()}, "tally")
    told = data_files(spec)
    assert "`samples/one.csv`, `templates/bsd.txt`, `templates/mit.txt`" in told
    assert "`samples/one.csv` begins:\n    a,b\n    1,2" in told
    assert told.count("begins:") == 2
    assert "tabulate" not in told
    assert len(told) < 700
    assert data_files(spec_of(HEADINGS)[0]) == ""
