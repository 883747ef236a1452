"""Pages can be used with a keyboard, a screen reader, and eyes that need contrast."""

import re

import pytest
from pages_browser import Browser
from pages_story import BRANCH, Story

PATHS = [
    "/",
    "/dana/durations",
    f"/dana/durations/blob/{BRANCH}/durations/parse.py",
    "/dana/durations/commits/main",
    "/dana/durations/issues",
    "/dana/durations/issues/1",
    "/dana/durations/issues/new",
    "/dana/durations/pull/2",
    "/dana/durations/pull/2/files",
    "/dana/durations/pull/2/checks",
    "/dana/durations/pull/2/commits",
    "/dana/durations/actions",
    "/nobody/nothing",
]
ON = {
    "ink": ("paper", "card", "sunk", "accent-soft", "idle-soft", "warn-soft"),
    "muted": ("paper", "card", "sunk", "idle-soft", "accent-soft"),
    "accent": ("paper", "card", "sunk"),
    "good": ("good-soft", "card"),
    "bad": ("bad-soft", "card"),
    "warn": ("warn-soft",),
    "merged": ("merged-soft",),
    "on-accent": ("accent",),
    "code-keyword": ("card", "good-line", "bad-line", "sunk"),
    "code-name": ("card", "good-line", "bad-line", "sunk"),
    "code-string": ("card", "good-line", "bad-line", "sunk"),
    "code-number": ("card", "good-line", "bad-line", "sunk"),
    "code-comment": ("card", "good-line", "bad-line", "sunk"),
}


@pytest.mark.parametrize("path", PATHS)
def test_every_page_can_be_walked_through(shared: Story, reader: Browser, path: str) -> None:
    page = reader.get(path)
    assert page.all("html")[0].get("lang") == "en"
    assert len(page.texts("h1")) == 1
    first = page.all("a")[0]
    assert (first.has_class("skip"), first.get("href")) == (True, "#content")
    (main,) = page.all("main")
    assert main.get("id") == "content"
    for landmark in ("header", "footer"):
        assert page.all(landmark)
    assert all(tag.get("aria-label") for tag in page.all("nav"))
    named = {tag.get("for") for tag in page.all("label")}
    for field in page.all("textarea") + page.all("input", type="text"):
        assert field.get("id") in named
    assert all(tag.get("alt") for tag in page.all("img"))
    identities = [tag.get("id") for tag in page.tags if tag.get("id")]
    assert len(identities) == len(set(identities))
    assert page.all("meta", name="viewport")


def test_the_current_place_is_said_and_not_only_shown(shared: Story, reader: Browser) -> None:
    current = [
        tag.text.split()[0]
        for tag in reader.get("/dana/durations/pull/2/files").all("a")
        if tag.get("aria-current") == "page"
    ]
    assert current == ["Pull", "Files"]


def luminance(colour: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_has_contrast_in_light_and_dark(shared: Story, reader: Browser) -> None:
    css = reader.get(reader.get("/").all("link", rel="stylesheet")[0].get("href")).answer.text
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", css, re.S)
    )
    for theme in (light, dark):
        for ink, grounds in ON.items():
            for ground in grounds:
                one, other = sorted((luminance(theme[ink]), luminance(theme[ground])))
                assert (other + 0.05) / (one + 0.05) >= 4.5, (ink, ground)


def test_the_style_loads_nothing_and_keeps_focus_visible(shared: Story, reader: Browser) -> None:
    css = reader.get(reader.get("/").all("link", rel="stylesheet")[0].get("href")).answer.text
    assert "url(" not in css
    assert "@import" not in css
    assert ":focus-visible" in css
    assert "outline: none" not in css
    assert "prefers-color-scheme: dark" in css
