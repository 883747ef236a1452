"""The static gate: what it catches, and that it is silent on good code."""

import pytest

from bot.state.model import ProjectState
from bot.verify.coverage import verify_coverage
from bot.verify.gate import gate
from bot.verify.imports import distributions

GOOD = {
    "pkg/__init__.py": "from pkg.a import f\n",
    "pkg/a.py": (
        "from abc import ABC, abstractmethod\n"
        "from typing import Protocol, overload\n\n"
        "try:\n    import fastjson\nexcept ImportError:\n    fastjson = None\n\n\n"
        "class Shape(ABC):\n"
        '    @abstractmethod\n    def area(self) -> float:\n        """Area."""\n\n\n'
        "class Named(Protocol):\n    def name(self) -> str: ...\n\n\n"
        "class Quiet(Exception):\n    pass\n\n\n"
        "class Context:\n    def __exit__(self, *a):\n        pass\n\n\n"
        "def f() -> int:\n    return 1\n"
    ),
    "pkg/b.py": "import yaml\n\nfrom . import a\n\n\ndef g():\n    return a.f(), yaml\n",
}
INSTALLED = distributions(["PyYAML>=6"])


def details(files: dict[str, str]) -> list[str]:
    return [e.detail for e in gate(files, None, INSTALLED)]


def test_good_code_raises_no_alarm() -> None:
    assert details(GOOD) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(:\n", "`pkg/c.py` does not parse: invalid syntax (line 1)"),
        ("def f():\n    return missing\n", "`pkg/c.py`: undefined name 'missing'"),
        (
            "from pkg.a import nothing\n",
            "`pkg/c.py` imports `nothing` from `pkg.a`, which does not define it",
        ),
        ("import pkg.z\n", "`pkg/c.py` imports `pkg.z`, and the project has no such module"),
        (
            "import requests\n",
            "`pkg/c.py` imports `requests`, which is neither in the project, the standard library "
            "nor the requirements",
        ),
        ("def f():\n    pass\n", "`f` in `pkg/c.py` is a placeholder: its body does nothing"),
        (
            "class C:\n    def m(self):\n        raise NotImplementedError\n",
            "`C.m` in `pkg/c.py` is a placeholder: its body does nothing",
        ),
        ("x = 1\nreturn x\n", "`pkg/c.py`: 'return' outside function"),
    ],
)
def test_each_fault_is_said_in_one_sentence(source: str, said: str) -> None:
    assert details({**GOOD, "pkg/c.py": source}) == [said]


def test_only_the_asked_files_are_reported() -> None:
    files = {**GOOD, "pkg/c.py": "x = missing\n", "pkg/d.py": "y = missing\n"}
    found = gate(files, frozenset({"pkg/d.py"}), INSTALLED)
    assert [e.location.file for e in found if e.location] == ["pkg/d.py"]


def test_what_nests_too_deeply_is_a_fault_and_no_crash() -> None:
    files = {"deep.py": "X = " + " + ".join(["1"] * 2500) + "\n"}
    assert [e.location.file for e in gate(files, None, INSTALLED) if e.location] == ["deep.py"]
    (found,) = verify_coverage(ProjectState(), files)
    assert (found.subject, found.verdict) == ("deep.py", "fault")


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("def f(:\n", "syntax"),
        ("def f():\n    return missing\n", "undefined-name"),
        ("from pkg.a import nothing\n", "import"),
        ("import requests\n", "import"),
        ("def f():\n    pass\n", "placeholder"),
        ("x = 1\nreturn x\n", "misplaced"),
        ("from pkg.a import f\n\nx = f(1)\n", "argument"),
        ("from pkg import a\n\nx = a.g\n", "member"),
        ("def g() -> int:\n    print(1)\n", "missing-return"),
        ("def g():\n    print(1)\n\n\nx = g()\n", "no-result"),
        ("print('%s %s' % (1,))\n", "format"),
        ("from pkg.d import y\n\nx = 1\n", "cycle"),
    ],
)
def test_each_fault_names_its_rule(source: str, rule: str) -> None:
    files = {**GOOD, "pkg/c.py": source, "pkg/d.py": "from pkg.c import x\n\ny = 1\n"}
    assert rule in {e.rule for e in gate(files, None, INSTALLED) if e.subject.startswith("pkg/c")}
