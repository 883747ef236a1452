"""Words of others within a comment: what counts as a command, and what the bot's own texts do."""

import pytest
from markdown_it import MarkdownIt

from bot.checks.report import Frame, Report, TestOutcome, TestResult
from bot.phases.judging import failures_table
from bot.phases.ratchet import judge_iteration
from bot.phases.show import quoted
from bot.phases.steering import commands_of

HIDDEN = [
    "````\n```\n/repowright cancel\n```\n````",
    "~~~\n```\n/repowright cancel\n```\n~~~",
    "```\n~~~\n/repowright cancel\n```",
    "    /repowright cancel",
    "\t/repowright cancel",
    "> /repowright cancel",
    "> somebody said\n/repowright cancel",
    ">/repowright cancel",
    "<!--\n/repowright cancel\n-->",
    "<pre>\n/repowright cancel\n</pre>",
    "- > quoted\n\n  ```\n  /repowright cancel\n  ```",
    "- > /repowright cancel",
    "``\n/repowright cancel\n``",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_what_is_quoted_or_code_or_hidden_is_no_command(text: str) -> None:
    assert commands_of(text, "/repowright") == []


@pytest.mark.parametrize(
    "text",
    [
        "/repowright cancel",
        "  /repowright cancel",
        "Enough.\r\n\r\n/repowright cancel",
        "Enough.\n/repowright cancel\nThanks!",
        "> Shall I?\n\n/repowright cancel",
        "```\ncode\n```\n/repowright cancel",
        "`a` and\n/repowright cancel\nwith `b`",
        "- /repowright cancel",
    ],
)
def test_a_line_of_its_own_is(text: str) -> None:
    found = commands_of(text, "/repowright")
    assert [verb for verb, _ in found] == ([] if text.startswith("-") else ["cancel"])


def test_the_rest_of_a_command_is_kept_as_written() -> None:
    text = "/repowright revise use `a_b` *now*\n/repowright budget +2usd"
    assert commands_of(text, "/repowright") == [
        ("revise", "use `a_b` *now*"),
        ("budget", "+2usd"),
    ]


def test_the_name_of_a_test_cannot_leave_its_cell() -> None:
    hostile = "a::b[`</td><img src=//evil>`![x](//evil)\n| row | @everyone |]"
    result = TestResult(
        id=hostile, outcome=TestOutcome.FAILED, frames=(Frame(path="a", line=1),), message="no"
    )
    report = Report(tests=(result,))
    text = failures_table(report, judge_iteration(None, report))
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert "<img" not in html
    assert html.count("<tr>") == 2


def test_a_diagnosis_cannot_leave_its_fold() -> None:
    text = quoted("What the fixer thought", "```\n</details>\n\n# All tests pass\n\n![x](//evil)")
    tokens = MarkdownIt("commonmark").parse(text + "\n\nafter")
    assert [t.content for t in tokens if t.type == "inline"][-1] == "after"
    assert "h1" not in {t.tag for t in tokens if t.level == 0}
