"""A browser without scripts: keeps cookies, reads forms, posts them, follows redirects by hand."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import requests


@dataclass
class Form:
    action: str = ""
    method: str = "get"
    values: dict[str, str] = field(default_factory=dict)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(given.get("action", ""), given.get("method", "get")))
        if tag == "a":
            self.links.append(given.get("href", ""))
        if tag == "input" and self.forms and "name" in given:
            chosen = given.get("type") not in ("radio", "checkbox") or "checked" in given
            if chosen:
                self.forms[-1].values[given["name"]] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        self.words.append(data)


class Browser:
    """`answer` is the page that is shown now; `trail` every address that was visited."""

    def __init__(self) -> None:
        self._session = requests.Session()
        self.answer = requests.Response()
        self.trail: list[str] = []

    @property
    def url(self) -> str:
        return self.answer.url

    @property
    def text(self) -> str:
        """What a person reads."""
        return " ".join(" ".join(self._page().words).split())

    @property
    def forms(self) -> list[Form]:
        return self._page().forms

    @property
    def links(self) -> list[str]:
        return [urljoin(self.url, link) for link in self._page().links]

    def open(self, url: str) -> None:
        self._go("GET", url, {})

    def submit(self, number: int = 0, **values: str) -> None:
        """Post a form of the page as filled in; a form-action policy is obeyed."""
        form = self.forms[number]
        to = urljoin(self.url, form.action)
        self._check_policy(to)
        parts = urlsplit(self.url)
        origin = f"{parts.scheme}://{parts.netloc}"
        self._go(form.method.upper(), to, {**form.values, **values}, origin)

    def follow(self, part: str) -> None:
        """Click the link whose address holds this."""
        self.open(next(link for link in self.links if part in link))

    def _check_policy(self, to: str) -> None:
        policy = self.answer.headers.get("Content-Security-Policy", "")
        rule = next(p.strip() for p in policy.split(";") if p.strip().startswith("form-action"))
        there, here = urlsplit(to), urlsplit(self.url)
        allowed = rule.split()[1:]
        same = there.netloc == here.netloc and "'self'" in allowed
        assert same or f"{there.scheme}://{there.netloc}" in allowed, (to, policy)

    def _go(self, verb: str, url: str, data: dict[str, str], origin: str = "") -> None:
        headers = {"Origin": origin} if origin else {}
        for _ in range(10):
            self.trail.append(url)
            self.answer = self._session.request(
                verb,
                url,
                data=data if verb == "POST" else None,
                headers=headers,
                allow_redirects=False,
                timeout=60,
            )
            if "Location" not in self.answer.headers:
                return
            verb, headers = "GET", {}
            url = urljoin(url, self.answer.headers["Location"])
        raise AssertionError(f"too many redirects: {self.trail}")

    def _page(self) -> _Reader:
        reader = _Reader()
        reader.feed(self.answer.text)
        return reader
