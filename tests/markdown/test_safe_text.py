"""What hostile text can still do once it stands in something the bot posts: nothing."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.markdown import (
    BODY_LIMIT,
    defuse,
    details,
    fence,
    quote,
    silence,
    table,
    truncate,
    unmention,
)

# A text of these pieces meets every rule of the Markdown grammar sooner or later.
NASTY = st.lists(
    st.sampled_from(
        [
            "@ann", "@org/team", "&commat;", "&#64;", "&#x40;", "\\", "`", "```", "~~~", "~", "*",
            "_", "|", "<", ">", "</b>", "<b>", "<!--", "-->", "<details>", "</details>", "<pre>",
            "\n", "\r", "\r\n", "\n\n", " ", "    ", "\t", "- ", "1. ", "#", "#12", "GH-7",
            "&num;3", "/merge", "[", "](x)", "![", "a", "ann", "x@y.z", "\u200b", "\x00", "\u202e",
            "é", "[x]: http://a", "<https://a@ann>", "www.a.b/@ann", "=", "---", "$",
        ]
    ),
    max_size=14,
).map("".join)  # fmt: skip

# https://github.com/jch/html-pipeline: a mention follows the start or a non-word character.
MENTION = re.compile(r"(?:^|[^A-Za-z0-9_])@[A-Za-z0-9]", re.MULTILINE)


def shown(markdown: str) -> str:
    """The text that GitHub would look for mentions in: rendered, without code and links."""
    page = MarkdownIt("commonmark").enable("table").render(markdown)
    page = re.sub(r"(?s)<(pre|code|a)\b.*?</\1>", "", page)
    pieces = re.split(r"(?s)<!--.*?-->|</?[A-Za-z][^>]*>", page)
    return "\n".join(html.unescape(piece) for piece in pieces)


@given(NASTY)
def test_defused_text_mentions_nobody(text: str) -> None:
    assert not MENTION.search(shown(defuse(text)))
    assert not MENTION.search(shown(quote(text)))
    assert not MENTION.search(shown(table([["a"], [defuse(text)]])))


@given(NASTY)
def test_a_whole_body_mentions_nobody(text: str) -> None:
    assert not MENTION.search(shown(silence(text)))


@given(NASTY)
def test_defusing_twice_changes_nothing(text: str) -> None:
    assert defuse(defuse(text)) == defuse(text)
    assert silence(silence(text)) == silence(text)


@given(NASTY)
def test_nothing_breaks_out_of_a_fence(text: str) -> None:
    before, code, after = MarkdownIt("commonmark").parse(f"above\n\n{fence(text, text)}\n\nbelow")[
        1::2
    ]
    assert (before.content, code.type, after.content) == ("above", "fence", "below")


def test_a_fence_keeps_code_as_it_is() -> None:
    assert fence("@dataclass\nclass A: ...\n", "python") == (
        "```python\n@dataclass\nclass A: ...\n```"
    )
    assert fence("a ```` b") == "`````\na ```` b\n`````"


@given(NASTY, NASTY)
def test_a_cell_stays_in_its_cell(first: str, second: str) -> None:
    tokens = (
        MarkdownIt("commonmark")
        .enable("table")
        .parse(table([["one", "two"], [first, second], ["x", "y"]]))
    )
    cells = [token for token in tokens if token.type in ("td_open", "th_open")]
    assert len(cells) == 6
    assert tokens[-1].type == "table_close"


def test_short_and_long_rows_get_the_width_of_the_header() -> None:
    assert table([["a", "b"], ["1"], ["1", "2", "3"]]) == (
        "| a | b |\n| --- | --- |\n| 1 |  |\n| 1 | 2 |"
    )
    assert table([]) == ""


@pytest.mark.parametrize(
    ("text", "inert"),
    [
        ("thanks @ann", "thanks @\u200bann"),
        ("mail ann@example.org", "mail ann@example.org"),
        ("fixes #12 and GH-3", "fixes #\u200b12 and GH-\u200b3"),
        ("o/r#4", "o/r#\u200b4"),
        ("https://github.com/o/r/issues/5", "https://github.com/o/r/issues/\u200b5"),
        ("/repowright cancel", "/\u200brepowright cancel"),
        ("- /merge", "- /\u200bmerge"),
        ("<!-- repowright:r:1 -->", "<\u200b!-- repowright:r:1 -->"),
        ("a < b, List<int>", "a < b, List<\u200bint>"),
        ("a\r\nb\x1b[31m\u202e", "a\nb[31m"),
    ],
)
def test_what_would_act_is_broken(text: str, inert: str) -> None:
    assert defuse(text) == inert


def test_a_body_keeps_its_own_references_and_code() -> None:
    body = "For #12, see `x`.\n\n```python\n@cache\n/x\n```\n\n@ann\n/merge"
    assert silence(body) == body.replace("@ann", "@\u200bann").replace("/merge", "/\u200bmerge")


def test_what_a_footnote_goes_on_with_is_no_code() -> None:
    body = (
        "See[^1].\n\n[^1]: As told.\n\n    thanks @ann\n    /merge\n\n    ![x](http://a.example/p)"
    )
    quiet = body.replace("@ann", "@\u200bann").replace("/merge", "/\u200bmerge")
    assert silence(body) == quiet.replace("![", "!\u200b[")


def test_titles_mention_nobody() -> None:
    assert unmention("Hi @ann\x00") == "Hi @\u200bann"


def test_a_fold_cannot_be_closed_by_its_summary() -> None:
    fold = details("</summary></details> @ann\n#1", "body")
    assert fold.count("</details>") == 1
    assert fold.count("</summary>") == 1
    assert not MENTION.search(shown(fold))


def test_text_within_the_limit_is_left_alone() -> None:
    assert truncate("short", 5, "(cut)") == "short"


def test_a_cut_says_so_and_closes_what_is_open() -> None:
    text = "<details>\n<summary>s</summary>\n\n```text\n" + "line\n" * 200 + "```\n\n</details>"
    cut = truncate(text, 300, "_cut_")
    assert len(cut) <= 300
    assert cut.endswith("line\n```\n\n</details>\n\n_cut_")


@given(NASTY.map(lambda text: text * 40), st.integers(0, 400))
def test_a_cut_always_fits(text: str, limit: int) -> None:
    assert len(truncate(text, limit, "_This was cut._")) <= limit


def test_a_huge_body_fits_what_github_takes() -> None:
    cut = truncate("é" * 200_000, BODY_LIMIT, "_cut_")
    assert len(cut) == BODY_LIMIT
    assert cut.endswith("\n\n_cut_")
