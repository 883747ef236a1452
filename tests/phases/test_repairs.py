"""Whose files a repair is given, and how the agenda is shown."""

import pytest

from bot.checks.agenda.targets import Target
from bot.phases.repairs import agenda_table, as_feedback, with_callees
from bot.state.model import ProjectState, RepairTarget
from bot.state.reconcile import change_of, reconcile

UTIL = "def escape(text):\n    return text.upper()\n\n\ndef plain(text):\n    return text\n"


def files(body: str) -> dict[str, str]:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    source = (
        f"from app.util import escape\n\n\nclass Message:\n    def escape(self, text):\n{lines}\n"
    )
    return {"app/__init__.py": "", "app/util.py": UTIL, "app/message.py": source}


def widened(body: str) -> tuple[str, ...]:
    texts = files(body)
    state, _ = reconcile(ProjectState(), change_of(texts, texts))
    target = Target(title="wrong", files=("app/message.py",), node="app/message.py::Message.escape")
    return with_callees(target, state, texts).files


@pytest.mark.parametrize(
    "body",
    [
        "return escape(text)",
        '"""Escapes."""\nreturn escape(text)',
        "from app import util\nreturn util.escape(text)",
    ],
)
def test_what_a_thin_function_hands_on_to_may_be_mended_with_it(body: str) -> None:
    assert widened(body) == ("app/message.py", "app/util.py")


@pytest.mark.parametrize("body", ["found = escape(text)\nreturn found + '!'", "return text"])
def test_what_works_by_itself_is_mended_alone(body: str) -> None:
    assert widened(body) == ("app/message.py",)


def test_a_target_without_a_function_or_with_a_file_that_does_not_parse_stays() -> None:
    target = Target(title="wrong", files=("app/a.py",), node="app/a.py::f")
    assert with_callees(target, ProjectState(), {"app/a.py": "def f(:"}) == target
    assert with_callees(Target(title="wrong"), ProjectState(), {}) == Target(title="wrong")


def test_the_agenda_is_shown_with_its_reasons_and_kept_as_feedback() -> None:
    target = Target(
        title="wrong",
        files=("app/a.py", "app/b.py"),
        node="app/a.py::f",
        tests=("t::one", "t::two"),
        unlocks=2,
        evidence=("f <b>computes</b> what fails",),
    )
    text = agenda_table([target, Target(title="nobody is suspected")])
    assert "`app/a.py`, `app/b.py` (`f`)" in text
    assert "| 2 |" in text
    assert "<b>" not in text
    assert as_feedback([target, Target(title="nobody")]) == (
        RepairTarget(
            path="app/a.py",
            node="app/a.py::f",
            reason="f <b>computes</b> what fails",
            tests=("t::one", "t::two"),
        ),
    )
    assert agenda_table([]) == ""
