"""Words of others within what the bot posts."""

import html
import re

import pytest
from hostile_corpus import Entry, bounded, entries, text_of
from markdown_it import MarkdownIt

from bot.checks.report import Frame, Report, TestOutcome, TestResult
from bot.markdown import code, defuse, details, fence, line, quote, silence, table, unmention
from bot.phases.judging import failures_table
from bot.phases.ratchet import judge_iteration
from bot.phases.steering import commands_of
from bot.phases.texts import page

# https://github.com/jch/html-pipeline: what GitHub looks for in the rendered text, outside code.
MENTION = re.compile(r"(?:^|[^A-Za-z0-9_])@[A-Za-z0-9]", re.MULTILINE)
REFERENCE = re.compile(r"(?:^|\W)#\d|\bGH-\d|/(?:issues|pull)/\d", re.MULTILINE | re.IGNORECASE)

PLACES = {
    "paragraph": lambda text: line(text),
    "cell": lambda text: table([["a", "b"], [defuse(text), "x"]]),
    "quote": lambda text: quote(text),
    "fold": lambda text: details(text, "body"),
    "folded quote": lambda text: details("what it thought", quote(text)),
    "fence": lambda text: fence(text, text),
    "code": lambda text: code(text),
    "list item": lambda text: f"- {line(text)}",
}


def rendered(markdown: str) -> str:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)


def prose(page_: str) -> str:
    """The text in which GitHub looks for mentions and references."""
    page_ = re.sub(r"(?s)<(pre|code)\b.*?</\1>", "", page_)
    return html.unescape(re.sub(r"(?s)<!--.*?-->|</?[A-Za-z][^>]*>", "\n", page_))


def harmless(markdown: str) -> None:
    shown = rendered(silence(markdown))
    assert not MENTION.search(prose(shown))
    assert not REFERENCE.search(prose(shown))
    assert not re.search(r"<(?:img|script|style|iframe|picture|source|svg|form)\b", shown)
    assert not re.search(r"<a\b", shown)
    assert "<!--" not in shown
    assert "<?" not in shown
    assert commands_of(silence(markdown), "/repowright") == []


@pytest.mark.parametrize("entry", entries("texts"))
@pytest.mark.parametrize("place", list(PLACES))
def test_words_of_others_do_nothing_and_stay_in_their_place(entry: Entry, place: str) -> None:
    inside = PLACES[place](text_of(entry))
    harmless(inside)
    around = rendered(silence(f"# Ours\n\n{inside}\n\n# After"))
    assert around.startswith("<h1>Ours</h1>")
    assert around.rstrip().endswith("<h1>After</h1>")
    assert around.count("<details>") == around.count("</details>")
    headings = re.sub(r"(?s)<(blockquote|pre)>.*?</\1>", "", around)
    assert headings.count("<h1>") == 2


@pytest.mark.parametrize("entry", entries("texts"))
def test_a_whole_body_calls_nobody_and_loads_nothing(entry: Entry) -> None:
    """The net under what was put into a body without care."""
    shown = rendered(silence(text_of(entry)))
    assert not MENTION.search(prose(shown))
    assert not re.search(r"<(?:img|picture|source|svg|iframe)\b", shown)
    assert commands_of(silence(text_of(entry)), "/repowright") == []


@pytest.mark.parametrize("entry", entries("texts"))
def test_titles_and_messages_of_commits_call_nobody_and_close_nothing(entry: Entry) -> None:
    line = unmention(text_of(entry))
    assert not MENTION.search(line)
    closing = (
        r"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w.-]+/[\w.-]+)?(?:#|GH-)\d"
    )
    assert not re.search(closing, line)
    assert not re.search(r"/issues/\d", line)


@pytest.mark.parametrize("entry", entries("texts"))
def test_a_test_that_fails_says_it_in_its_cell(entry: Entry) -> None:
    text = text_of(entry)
    result = TestResult(
        id=f"check_tests/test_a.py::{text}",
        outcome=TestOutcome.FAILED,
        exception="AssertionError",
        message=text,
        frames=(Frame(path="a.py", line=1),),
    )
    report = Report(tests=(result,))
    shown = failures_table(report, judge_iteration(None, report))
    harmless(shown)
    assert rendered(shown).count("<tr>") == 2


@pytest.mark.parametrize("entry", entries("texts"))
def test_a_page_of_the_repository_shows_purposes_as_they_are_said(entry: Entry) -> None:
    text = text_of(entry)
    file = {"path": "a.py", "purpose": text, "names": []}
    harmless(page("architecture", title=text, issue=7, files=[file]).replace("#7", ""))


@pytest.mark.parametrize("entry", entries("comments"))
def test_what_only_looks_like_a_command_is_none(entry: Entry) -> None:
    assert commands_of(text_of(entry), "/repowright") == []
    assert commands_of(text_of(entry).replace("\n", "\r\n"), "/repowright") == []


@pytest.mark.parametrize("entry", entries("long"))
@pytest.mark.parametrize(
    "read", [defuse, quote, silence, fence, code, unmention, lambda t: commands_of(t, "/a")]
)
def test_no_text_takes_long_to_make_safe(entry: Entry, read: object) -> None:
    assert callable(read)
    with bounded(3):
        read(f"/a\n{text_of(entry)}")
