"""The bench of the repair agenda: what is seeded, how it is run, and what it is compared with."""

import ast
import sys
from pathlib import Path

import pytest

from bot.bench.agenda import figures_of, finding, naive_files
from bot.bench.agenda_runs import runs_of
from bot.bench.agenda_seeds import SEEDED_KINDS, seeded_faults
from bot.bench.datasets import Task
from bot.checks.environment import Environment
from bot.checks.report import Report, TestOutcome, TestResult
from bot.checks.sandbox import Bubblewrap
from bot.ports.sandbox import Sandbox, SandboxJob, SandboxMissing

from .kit import CART, PRICE, write

NAMES = '''"""Names."""


def label(item: str, upper: bool = True) -> str:
    if not item:
        raise ValueError("no item")
    return item.upper() if upper else item[0:3]
'''
SOURCES = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": CART,
    "shop/names.py": NAMES,
    "shop/price.py": PRICE,
}
TESTS = {
    "check_tests/test_cart.py": (
        "from shop import Cart\n\n\n"
        "def test_bill():\n    cart = Cart('me')\n    cart.add('x')\n    assert cart.bill() == 2\n"
    ),
    "unit_tests/test_cart.py": (
        "import pytest\n\nfrom shop.names import label\n\n\n"
        "def test_label():\n    assert label('abcd') == 'ABCD'\n\n\n"
        "def test_short():\n    assert label('abcd', upper=False) == 'abc'\n\n\n"
        "def test_empty():\n    with pytest.raises(ValueError):\n        label('')\n"
    ),
}


@pytest.fixture
def sandbox() -> Sandbox:
    bubblewrap = Bubblewrap()
    try:
        bubblewrap.run(SandboxJob(argv=("/bin/true",), workdir=Path("/")))
    except SandboxMissing as error:
        pytest.skip(str(error))
    return bubblewrap


def test_faults_of_all_kinds_are_seeded_the_same_each_time_and_parse() -> None:
    faults = seeded_faults(SOURCES, 100)
    assert {f.kind for f in faults} == set(SEEDED_KINDS)
    assert faults == seeded_faults(SOURCES, 100)
    assert faults[:5] == seeded_faults(SOURCES, 5)
    for fault in faults:
        assert ast.dump(ast.parse(fault.source)) != ast.dump(ast.parse(SOURCES[fault.path]))


def test_the_naive_order_goes_by_the_worst_test_file_and_its_imports() -> None:
    tests = {
        "check_tests/test_a.py": "from shop import price, Cart\nimport shop.names\n",
        "check_tests/test_b.py": "def test_1(): ...\n\n\ndef test_2(): ...\n\n\nimport shop.cart\n",
    }
    failing = [
        TestResult(id="check_tests/test_a.py::test_x", outcome=TestOutcome.FAILED),
        TestResult(id="check_tests/test_b.py", outcome=TestOutcome.ERROR),
    ]
    assert naive_files(Report(tests=tuple(failing)), SOURCES, tests) == (
        "shop/cart.py",
        "shop/price.py",
        "shop/__init__.py",
        "shop/names.py",
    )


def test_seeded_faults_are_run_and_found(tmp_path: Path, sandbox: Sandbox) -> None:
    write(tmp_path / "shop", {**SOURCES, **TESTS, "PRD.md": "# Shop\n"})
    task = Task(
        name="shop",
        set="DevBench",
        folder=tmp_path / "shop",
        documents=("PRD.md",),
        source_root="shop",
    )
    runs = runs_of(task, sandbox, lambda _: Environment.at(Path(sys.prefix)), tries=2)
    assert (runs.why, runs.clean) == ("", 4)
    assert len([r for r in runs.runs if len(r.faults) == 1]) == runs.tried - runs.unnoticed > 0
    findings = [finding(runs, run) for run in runs.runs]
    figures = figures_of(findings)
    assert figures["seeded"] == len(runs.runs)
    assert isinstance(figures["first"], float)
    assert figures["first"] >= 0.5
    assert {p.read_text("utf-8") for p in (tmp_path / "shop/shop").iterdir()} == {*SOURCES.values()}


def test_a_task_that_cannot_be_run_says_why(tmp_path: Path, sandbox: Sandbox) -> None:
    write(tmp_path / "shop", {**SOURCES, "check_tests/test_a.py": "def test_a():\n    assert 0\n"})
    write(tmp_path / "shop", {"unit_tests/test_b.py": "def test_b():\n    assert 0\n"})
    task = Task(name="shop", set="DevBench", folder=tmp_path / "shop", documents=())
    runs = runs_of(task, sandbox, lambda _: Environment.at(Path(sys.prefix)))
    assert runs.why.startswith("no test passes on the reference")
    assert runs.runs == ()
