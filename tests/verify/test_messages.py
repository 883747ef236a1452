"""Messages of sequence diagrams that no code fulfils, and all that counts as fulfilled."""

import pytest

from bot.spec.folder import spec_from_files
from bot.spec.model import Spec
from bot.verify.messages import verify_messages

STORE = (
    "class Store:\n"
    "    def __init__(self, path: str) -> None:\n"
    "        self.path = path\n\n"
    "    def save(self, text: str) -> None:\n"
    "        self._write(text)\n\n"
    "    def _write(self, text: str) -> None:\n"
    "        open(self.path, 'w').write(text)\n\n\n"
    "class FastStore(Store):\n"
    "    def save(self, text: str) -> None:\n"
    "        print(text)\n\n\n"
    "def compact(store: Store) -> None:\n"
    "    print(store)\n"
)


def spec_with(*messages: str) -> Spec:
    """A spec whose only diagram holds these lines, the first of them on line 3 of `UML.md`."""
    text = "\n".join(["```mermaid", "sequenceDiagram", *messages, "```", ""])
    return spec_from_files({"UML.md": text.encode()}, "notes", "check_tests")


def said(messages: list[str], notes: str, **more: str) -> list[str]:
    files = {"app/__init__.py": "", "app/store.py": STORE, "app/notes.py": notes}
    files.update({f"app/{name}.py": text for name, text in more.items()})
    return [e.detail for e in verify_messages(spec_with(*messages), files)]


def notes(body: str, head: str = "") -> str:
    """A class Notes whose method `add` has this body."""
    return (
        f"from app.store import FastStore, Store, compact\n{head}\n\n"
        "class Notes:\n"
        "    def __init__(self, store: Store) -> None:\n"
        "        self.store = store\n\n"
        f"    def add(self, text):\n        {body}\n"
    )


def test_a_call_that_nobody_makes_is_told_with_its_place() -> None:
    spec = spec_with("participant N as Notes", "User ->> N: add(text)", "N ->> Store: save(text)")
    files = {"app/store.py": STORE, "app/notes.py": notes("print(text)")}
    [told] = verify_messages(spec, files)
    assert told.detail == (
        "no code of `Notes` (`app/notes.py`) calls `Store.save` (`app/store.py`), "
        "as a sequence diagram has it: `save(text)`"
    )
    assert (told.tool, told.rule, told.verdict) == ("sequence diagrams", "message", "warning")
    assert told.subject == "app/notes.py::Notes"
    assert told.location is not None
    assert (told.location.file, told.location.line) == ("UML.md", 5)


@pytest.mark.parametrize(
    "body",
    [
        "self.store.save(text)",
        "FastStore('x').save(text)",
        "text.owner().save(text)",
        "print(map(self.store.save, [text]))",
        "getattr(self.store, 'save')(text)",
        "self.later(text)\n\n    def later(self, text):\n        self.store.save(text)",
        "helper(self, text)\n\n\ndef helper(notes, text):\n    notes.store.save(text)",
    ],
)
def test_ways_to_fulfil_a_message(body: str) -> None:
    assert said(["Notes ->> Store: save(text)"], notes(body)) == []


@pytest.mark.parametrize(
    "body",
    [
        "print('save')",
        "self.store.path = text",
        "compact(self.store)",
        "save = text\n        print(save)",
        "print('yes' if text.save else 'no')",
    ],
)
def test_what_fulfils_nothing(body: str) -> None:
    assert len(said(["Notes ->> Store: save(text)"], notes(body))) == 1


def test_code_of_other_files_that_the_caller_runs_counts_where_it_surely_calls() -> None:
    head = "from app.backup import back_up\n"
    sure = "from app.store import Store\n\n\ndef back_up(text):\n    Store('x').save(text)\n"
    unsure = "def back_up(text):\n    text.pickle.save(text)\n"
    message = ["Notes ->> Store: save(text)"]
    assert said(message, notes("back_up(text)", head), backup=sure) == []
    assert len(said(message, notes("back_up(text)", head), backup=unsure)) == 1


def test_classes_above_and_below_the_caller_are_its_code() -> None:
    message = ["Notes ->> Store: save(text)"]
    below = "\n\nclass Diary(Notes):\n    def add(self, text):\n        self.store.save(text)\n"
    assert said(message, notes("print(text)") + below) == []


@pytest.mark.parametrize(
    ("message", "body", "told"),
    [
        ("Notes ->> Store: __init__(path)", "Store('x')", 0),
        ("Notes ->> Store: __init__(path)", "FastStore('x')", 0),
        ("Notes ->> Store: Store(path)", "Store('x')", 0),
        ("Notes ->> FastStore: __init__(path)", "Store('x')", 1),
        ("FastStore ->> Store: __init__(path)", "print(1)", 0),
        ("Notes ->> compact: compact(store)", "compact(self.store)", 0),
        ("Notes ->> compact: compact(store)", "print(text)", 1),
        ("Notes ->> store.py: compact(store)", "compact(self.store)", 0),
        ("Notes ->> store.py: compact(store)", "print(text)", 1),
        ("Notes ->> FastStore: _write(text)", "print(text)", 1),
        ("Store ->> Store: _write(text)", "print(text)", 0),
        ("Notes ->> Notes: add(text)", "print(text)", 1),
        ("fast_store ->> fast_store: save(text)", "print(text)", 1),
    ],
)
def test_constructors_functions_modules_and_messages_to_itself(
    message: str, body: str, told: int
) -> None:
    assert len(said([message], notes(body))) == told


@pytest.mark.parametrize(
    "message",
    [
        "User ->> Notes: add(text)",
        "Store -->> Notes: save(text)",
        "Notes ->> Store: keep the text",
        "Notes ->> Disk: save(text)",
        "Notes ->> Store: flush()",
        "Notes ->> Store: __getitem__(1)",
        "Notes ->> Worker: run()",
        "Notes ->> Pages: index()",
        "Notes ->> Broken: save()",
        "Proxy ->> Store: save(text)",
        "Notes ->> Gauge: speed()",
    ],
)
def test_messages_that_ask_for_nothing(message: str) -> None:
    worker = "import threading\n\n\nclass Worker(threading.Thread):\n    def run(self): ...\n"
    worker += "\n\nclass Gauge:\n    @property\n    def speed(self): ...\n"
    pages = "from web import route\n\n\n@route('/')\ndef index():\n    return ''\n"
    proxy = "class Proxy:\n    def __getattr__(self, name):\n        return name\n"
    broken = "class Broken:\n    def save(self:\n"
    more = {"worker": worker, "pages": pages, "proxy": proxy, "broken": broken}
    assert said([message], notes("print(text)"), **more) == []


def test_loops_and_branches_hold_messages_and_each_call_is_told_once() -> None:
    messages = ["loop each", "alt new", "Notes ->> Store: save(text)", "else", "end", "end"]
    told = said([*messages, "Notes ->> Store: save(other)"], notes("print(text)"))
    assert len(told) == 1


def test_hostile_messages_stay_on_one_line() -> None:
    message = "Notes ->> Store: save(" + "x, " * 400 + "y)<br/>then more"
    [told] = said([message], notes("print(text)"))
    assert len(told) < 260
    assert "\n" not in told
