"""The context of a file: what it shows, in which order, and what it costs."""

from bot.spec.folder import spec_from_files
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile
from bot.state.retrieval import Context, Retriever, tokens_of
from bot.state.structure import structure_of

ARCHITECTURE = """# Architecture

## `app/main.py`

Starts everything and prints the bill in euros.

- `run(path: str) -> int`: runs; gives 3 where the store is empty.

## `app/base.py`

- `class Base`: what all share.
"""
FILES = {
    "app/__init__.py": "",
    "app/base.py": (
        "class Base:\n"
        "    def close(self, *, force: bool = False) -> None:\n"
        "        for step in range(3):\n"
        "            print(step)\n"
        "            print(force)\n"
        "            print('closing')\n"
        "        print('closed')\n\n"
        "    def _secret(self) -> None: ...\n"
    ),
    "app/store.py": (
        "from app.base import Base\n\n"
        "class Store(Base):\n"
        "    path: str\n\n"
        "    @property\n"
        "    def size(self) -> int: ...\n"
    ),
    "app/small.py": "def double(x: int) -> int:\n    return 2 * x\n\n\ndef unrelated(y): ...\n",
    "app/main.py": (
        "from app.small import double\nfrom app.store import Store\n\n"
        "def run(path: str) -> int:\n"
        "    store = Store()\n    store.close()\n    return double(store.size)\n"
    ),
    "app/cli.py": "from app.main import run\n\ndef start(argv: list) -> None:\n    run(argv[0])\n",
    "app/far.py": "".join(f"def far_{i}(a, b, c): ...\n" for i in range(200)),
}
SPEC = spec_from_files(
    {"PRD.md": b"# App\n", "architecture_design.md": ARCHITECTURE.encode()}, "app"
)


def context(path: str, *, files: dict[str, str] = FILES, tokens: int = 800) -> Context:
    state, _ = reconcile(ProjectState(nodes=structure_of(SPEC)), change_of(files, files))
    retriever = Retriever(SPEC, state, files, 2, tokens)
    return next(iter(retriever.contexts([path])))


def test_a_context_shows_what_the_file_uses_and_who_uses_it() -> None:
    shown = context("app/main.py")
    assert shown.shown >= {
        "app/store.py::Store",
        "app/store.py::Store.size",
        "app/base.py::Base.close",
        "app/small.py::double",
        "app/cli.py::start",
    }
    assert "app/small.py::unrelated" not in shown.shown
    assert not any("far_" in node for node in shown.shown)
    assert "def close(self, *, force: bool = False) -> None: ..." in shown.text
    assert "@property\n    def size(self) -> int: ..." in shown.text
    assert "class Store(Base):\n    path: str" in shown.text


def test_small_definitions_are_shown_whole_and_large_ones_as_signatures() -> None:
    text = context("app/main.py").text
    assert "return 2 * x" in text
    assert "print('closed')" not in text


def test_a_skeleton_is_shown_as_signatures() -> None:
    hollow = 'def double(x: int) -> int:\n    """Twice as much."""\n    raise NotImplementedError\n'
    text = context("app/main.py", files={**FILES, "app/small.py": hollow}).text
    assert "def double(x: int) -> int: ..." in text
    assert "NotImplementedError" not in text


def test_the_documents_of_the_file_come_with_it() -> None:
    assert "gives 3 where the store is empty" in context("app/main.py").text
    assert "gives 3 where the store is empty" not in context("app/base.py").text


def test_a_context_keeps_to_its_tokens_and_shows_the_best_first() -> None:
    for tokens in (40, 80, 160, 320):
        shown = context("app/main.py", tokens=tokens)
        assert shown.tokens <= tokens
        assert shown.tokens == sum(tokens_of(p.text) for p in (*shown.prefix, *shown.pieces))
    tight = context("app/main.py", tokens=120)
    assert "app/cli.py::start" in tight.left_out
    assert "app/small.py::double" in tight.shown


def test_a_context_says_how_much_of_the_project_it_took() -> None:
    shown = context("app/main.py")
    whole = sum(tokens_of(text) for text in FILES.values())
    assert shown.project_tokens == whole
    assert shown.share == shown.tokens / whole < 0.25


def test_every_file_of_a_state_has_the_same_prefix() -> None:
    state, _ = reconcile(ProjectState(nodes=structure_of(SPEC)), change_of(FILES, FILES))
    contexts = list(Retriever(SPEC, state, FILES, 2, 800).contexts(sorted(FILES)))
    assert len({c.prefix for c in contexts}) == 1
    assert contexts[0].prefix
    assert all(c.text.startswith(contexts[0].prefix[0].text) for c in contexts)


def test_what_many_files_use_stands_in_the_prefix() -> None:
    users = {f"app/user{i}.py": "from app.base import Base\n\nBase().close()\n" for i in range(6)}
    shown = context("app/user1.py", files={**FILES, **users}, tokens=2000)
    shared = next(p for p in shown.prefix if p.kind == "shared")
    assert "app/base.py::Base" in shared.nodes


def test_a_file_of_which_nothing_is_known_sees_its_neighbours() -> None:
    files = {**FILES, "app/new.py": ""}
    assert "app/small.py::double" in context("app/new.py", files=files).shown


def test_hostile_or_broken_sources_do_not_stop_it() -> None:
    files = {**FILES, "app/store.py": "class (:\n", "app/deep.py": "x = " + "(" * 400 + ")" * 400}
    assert context("app/main.py", files=files).shown >= {"app/small.py::double"}
