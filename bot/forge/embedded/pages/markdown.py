"""Turns Markdown that anybody may have written into HTML that can do no harm.

The result obeys three rules: only the tags and attributes below survive, nothing is loaded from
another host, and no user text becomes a script, a style or a form.
"""

import posixpath
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from urllib.parse import quote, urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape
from mdit_py_plugins.gfm import gfm_plugin

from bot.base import Data
from bot.forge.embedded.pages import highlight

_TAGS = set(
    re.findall(
        r"\w+",
        "a blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5"
        " h6 hr img input ins kbd li mark ol p pre q s samp section span strong sub summary sup"
        " table tbody td tfoot th thead tr tt ul var b i",
    )
)
_ATTRIBUTES = {
    "*": {"title", "lang", "dir", "id"},
    "a": {"href"},
    "img": {"src", "alt", "width", "height"},
    "details": {"open"},
    "ol": {"start"},
    "td": {"colspan", "rowspan", "align"},
    "th": {"colspan", "rowspan", "align", "scope"},
    "p": {"align"},
    "div": {"align"},
}
_CLASSES = {
    "a": {"issue-link", "commit-link", "footnote-backref"},
    "code": {"block"},
    "div": {"table-scroll", "markdown-alert"}
    | {f"markdown-alert-{kind}" for kind in ("note", "tip", "important", "warning", "caution")},
    "figure": {"diagram"},
    "li": {"task-list-item"},
    "ol": {"contains-task-list"},
    "p": {"markdown-alert-title"},
    "section": {"footnotes"},
    "span": {
        *highlight.TOKEN_CLASSES,
        "far-image",
        "hidden-char",
        "sign",
        "sign-good",
        "sign-bad",
        "sign-warn",
    },
    "ul": {"contains-task-list"},
}
_REFERENCE = re.compile(
    r"(?<![\w/#&])#(\d{1,9})\b|(?<![\w/])([0-9a-f]{40})(?!\w)|(✅|❌|🔁|⚠)\ufe0f?"
)
_SIGNS = {
    "✅": ("✓", "sign-good"),
    "❌": ("✗", "sign-bad"),
    "🔁": ("↻", "sign-warn"),
    "⚠": ("⚠\ufe0e", "sign-warn"),
}
"""Emoji that bots mark results with, as signs that every font has and the style can colour."""

_TALL = 24
"""Lines of a diagram that are shown without being asked for."""

_MOST_BRACKETS = 5_000
"""Finding where a link ends takes the parser quadratic time in these."""


class Place(Data):
    """Where a text stands: what its links and `#12` mean. `folder` is the folder of the file that
    is shown and `ref` its branch or commit; both are empty for issues and comments. `origin` is
    this server's own address. `anchor` keeps the names of two texts on one page apart."""

    repository: str = ""
    ref: str = ""
    folder: str = ""
    origin: str = ""
    anchor: str = "text"

    @property
    def is_file(self) -> bool:
        return bool(self.ref)


@lru_cache(maxsize=512)
def render(text: str, place: Place) -> Markup:
    """The HTML of a Markdown text. In comments, as on GitHub, a line break is a line break.

    Kept, since a long text takes a while; one made of brackets would take minutes, and is shown
    as it is.
    """
    if text.count("[") > _MOST_BRACKETS:
        return Markup("<pre>{}</pre>").format(text)
    parser = _parser(breaks=not place.is_file)
    html = parser.render(text.replace("\r\n", "\n").replace("\x00", ""), {"place": place})
    return Markup(_clean(html, place))  # noqa: S704 cleaned in the same breath


def _clean(html: str, place: Place) -> str:
    def attribute(tag: str, name: str, value: str) -> str | None:
        if name == "href":
            return _link(value, place)
        if name == "src":
            return _image(value, place)
        return value

    return nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags={"script", "style", "title", "textarea", "noscript", "template"},
        attributes=_ATTRIBUTES,
        allowed_classes=_CLASSES,
        attribute_filter=attribute,
        url_schemes={"http", "https", "mailto"},
        id_prefix=f"user-{place.anchor}-",
        link_rel="nofollow noopener noreferrer",
        tag_attribute_values={"input": {"checked": {"", "checked"}}},
        set_tag_attribute_values={
            "input": {"type": "checkbox", "disabled": "", "aria-label": "task"}
        },
    )


def _link(url: str, place: Place) -> str | None:
    if url.startswith("#"):
        return f"#user-{place.anchor}-{url[1:]}"
    if place.is_file and _is_relative(url):
        return _in_repository("blob", url, place)
    return url


def _image(url: str, place: Place) -> str | None:
    """The address of an image on this very server, None for every other one."""
    if place.origin and url.startswith(place.origin + "/"):
        return url[len(place.origin) :]
    if place.is_file and _is_relative(url):
        return _in_repository("raw", url, place)
    return url if url.startswith("/") and not url.startswith("//") else None


def _is_relative(url: str) -> bool:
    parts = urlsplit(url)
    return not (parts.scheme or parts.netloc or url.startswith(("/", "#", "\\")))


def _in_repository(kind: str, url: str, place: Place) -> str:
    path, _, fragment = url.partition("#")
    inside = posixpath.normpath(posixpath.join("/", place.folder, path)).lstrip("/")
    tail = f"#{fragment}" if fragment else ""
    return f"/{place.repository}/{kind}/{quote(place.ref)}/{inside}{tail}"


@cache
def _parser(*, breaks: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "breaks": breaks, "maxNesting": 60})
    parser.use(gfm_plugin)
    parser.core.ruler.push("forge", _references)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("image", _far_image)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    for rule in ("th_open", "td_open"):
        parser.add_render_rule(rule, _cell)
    for rule in ("heading_open", "heading_close"):
        parser.add_render_rule(rule, _heading)
    return parser


def _heading(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """Headings of a text rank below those of the page that shows it."""
    token = tokens[index]
    level = min(6, int(token.tag[1]) + 2)
    if token.nesting == -1:
        return f"</h{level}>\n"
    name = _slug(tokens[index + 1].content) if env["place"].is_file else ""
    return f'<h{level} id="{name}">' if name else f"<h{level}>"


def _slug(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def _table_open(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return '<div class="table-scroll"><table>\n'


def _table_close(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return "</table></div>\n"


def _cell(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """A table cell; its alignment as an attribute, for pages carry no styles."""
    token = tokens[index]
    align = str(token.attrGet("style") or "").removeprefix("text-align:")
    return f'<{token.tag} align="{align}">' if align else f"<{token.tag}>"


def _fence(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    language = (token.info.split() or [""])[0].lower()
    if language == "mermaid":
        return _diagram(token.content)
    body = highlight.block(token.content, language)
    return f'<pre><code class="block">{body}</code></pre>\n'


def _diagram(source: str) -> str:
    """Mermaid needs a browser script to be drawn; its source is readable, so that is shown."""
    shown = " open" if source.count("\n") <= _TALL else ""
    first = next((line.split() for line in source.splitlines() if line.strip()), [""])[0]
    return (
        f'<figure class="diagram"><details{shown}><summary>Diagram'
        f" <span>{escape(first[:40])}</span></summary>"
        f'<pre><code class="block">{escape(source.rstrip())}</code></pre>'
        "</details></figure>\n"
    )


def _far_image(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """An image; one that lies on another host becomes a link, for pages load nothing from afar."""
    token = tokens[index]
    source = str(token.attrGet("src") or "")
    alt = str(escape(self.renderInlineAsText(token.children, options, env) or "image"))
    if _image(source, env["place"]) is not None:
        return f'<img src="{escape(source)}" alt="{alt}">'
    depth = sum(t.nesting for t in tokens[:index] if t.type in ("link_open", "link_close"))
    label = f'<span class="far-image">{alt}</span>'
    return label if depth else f'<a href="{escape(source)}">{label}</a>'


def _references(state: StateCore) -> None:
    """Link `#12` and full commit ids to their pages, and draw signs, outside links and code."""
    place: Place = state.env["place"]
    if not place.repository:
        return
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = list(_linked(token.children, place))


def _linked(children: Sequence[Token], place: Place) -> list[Token]:
    out: list[Token] = []
    depth = 0
    for child in children:
        depth += child.nesting if child.type in ("link_open", "link_close") else 0
        if child.type != "text" or depth or not _REFERENCE.search(child.content):
            out.append(child)
            continue
        out.append(Token("html_inline", "", 0, content=_reference_html(child.content, place)))
    return out


def _reference_html(text: str, place: Place) -> str:
    pieces: list[str] = []
    end = 0
    for match in _REFERENCE.finditer(text):
        pieces.append(str(escape(text[end : match.start()])))
        pieces.append(_reference_link(match, place))
        end = match.end()
    return "".join([*pieces, str(escape(text[end:]))])


def _reference_link(match: re.Match[str], place: Place) -> str:
    number, commit, sign = match.groups()
    if sign:
        drawn, name = _SIGNS[sign]
        return f'<span class="sign {name}">{drawn}</span>'
    if number:
        return f'<a class="issue-link" href="/{place.repository}/issues/{number}">#{number}</a>'
    address = f"/{place.repository}/commit/{commit}"
    return f'<a class="commit-link" href="{address}"><code>{commit[:7]}</code></a>'
