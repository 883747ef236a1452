"""A browser without a screen: fetches pages and says what is on them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

import requests

_VOID = {"meta", "link", "input", "br", "hr", "img", "rect", "circle"}


@dataclass
class Tag:
    name: str
    attributes: dict[str, str]
    text: str = ""

    def get(self, name: str) -> str:
        return self.attributes.get(name, "")

    def has_class(self, name: str) -> bool:
        return name in self.get("class").split()


@dataclass
class Page:
    """`tags` in order; each tag's text is all the text in it."""

    answer: requests.Response
    tags: list[Tag] = field(default_factory=list)

    @property
    def status(self) -> int:
        return self.answer.status_code

    @property
    def text(self) -> str:
        return next(" ".join(tag.text.split()) for tag in self.tags if tag.name == "body")

    def all(self, element: str, cls: str = "", **attributes: str) -> list[Tag]:
        return [
            tag
            for tag in self.tags
            if tag.name == element
            and (not cls or tag.has_class(cls))
            and all(tag.get(key) == value for key, value in attributes.items())
        ]

    def texts(self, element: str, cls: str = "") -> list[str]:
        return [" ".join(tag.text.split()) for tag in self.all(element, cls)]

    def links(self) -> dict[str, str]:
        """Address by text."""
        return {" ".join(tag.text.split()): tag.get("href") for tag in self.all("a")}


class _Reader(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page
        self._open: list[Tag] = []

    def _part(self) -> None:
        """Elements are words apart, but for the pieces of a line of code."""
        if not any(tag.has_class("src") or tag.name == "pre" for tag in self._open):
            self.handle_data(" ")

    def handle_starttag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        self._part()
        tag = Tag(name, {key: value or "" for key, value in attrs})
        self._page.tags.append(tag)
        if name not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        self._page.tags.append(Tag(name, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, name: str) -> None:
        while self._open:
            if self._open.pop().name == name:
                break
        self._part()

    def handle_data(self, data: str) -> None:
        for tag in self._open:
            tag.text += data


class Browser:
    def __init__(self, url: str) -> None:
        self.url = url
        self.session = requests.Session()

    def get(self, path: str, **options: object) -> Page:
        return self._page(self.session.get(self.url + path, timeout=20, **options))  # type: ignore[arg-type]

    def post(self, path: str, data: dict[str, str], **headers: str) -> Page:
        answer = self.session.post(
            self.url + path, data, timeout=20, headers={"Origin": self.url, **headers}
        )
        return self._page(answer)

    def token(self, path: str) -> str:
        """The token in the forms of a page."""
        return self.get(path).all("input", name="token")[0].get("value")

    def _page(self, answer: requests.Response) -> Page:
        page = Page(answer)
        if "html" in answer.headers.get("Content-Type", ""):
            _Reader(page).feed(answer.text)
        return page
