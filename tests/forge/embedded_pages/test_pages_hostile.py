"""Nothing that anybody writes becomes script, style, form, foreign request or page structure."""

import hashlib

import pytest
from pages_browser import Browser, Page
from pages_story import Story, commit

from bot.forge.embedded.store.reviews import InlineComment

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><animate onbegin=alert(1)>",
    "[click](javascript:alert(1)) <a href='JaVaScRiPt:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "```html\n</code></pre><script>alert(1)</script>\n```",
    "```mermaid\n</code></pre></details></figure><script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\nx\n```',
    "<iframe src=//evil.example></iframe><object data=x></object><embed src=x>",
    "<style>body{display:none}</style><link rel=stylesheet href=//evil.example>",
    "<form action=//evil.example><input name=token><button>Go</button></form>",
    "<div style='position:fixed;inset:0' class='pill is-good' id=content>fake</div>",
    "![x](https://evil.example/pixel.png) <img src='//evil.example/p.png'>",
    "<meta http-equiv=refresh content='0;url=//evil.example'><base href=//evil.example>",
    "\"'><b onmouseover=alert(1)>",
    "</article></main></body><script>alert(1)</script>",
    "<details ontoggle=alert(1) open><summary>x</summary></details>",
    "| a |\n|---|\n| <script>alert(1)</script> |",
    "<math><mtext><table><mglyph><style><!--</style>"
    "<img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "@dana @everyone {{ 7*7 }} {% include 'base.html' %} ${7*7}",
    "\x1b]8;;javascript:alert(1)\x07x\x1b]8;;\x07\x00\x08",
]


def harmless(page: Page) -> None:
    assert page.status == 200
    names = {tag.name for tag in page.tags}
    assert not names & {"script", "style", "iframe", "object", "embed", "base", "animate", "math"}
    for tag in page.tags:
        assert not [name for name in tag.attributes if name.startswith("on") or name == "style"]
        for name in ("src", "href", "action", "data"):
            address = tag.get(name).strip().lower()
            assert not address.startswith(("javascript:", "data:", "vbscript:"))
            assert not (name != "href" and address.startswith(("http", "//")))
    assert len(page.all("main")) == 1
    assert [tag.get("id") for tag in page.tags].count("content") == 1
    assert not [form for form in page.all("form") if not form.get("action").startswith("/dana/")]
    assert all(tag.get("href").startswith("/-/") for tag in page.all("link"))
    assert [tag.get("http-equiv") for tag in page.all("meta") if tag.get("http-equiv")] == []


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert_wherever_it_stands(
    shared: Story, reader: Browser, text: str
) -> None:
    store, dana = shared.store, shared.dana
    name = f"hostile-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    repository = store.repositories.create(dana.user, name)
    begin: dict[str, str | bytes] = {"README.md": "begin"}
    commit(store, repository, dana, "main", begin, "Begin", shared.clock)
    line = " ".join(text.split())
    store.repositories.edit(repository, dana, description=line)
    issue = store.issues.create(repository, dana, line, text, labels=(line[:50],))
    store.issues.comment(repository, issue, dana, text)
    safe = text.replace("\x00", "")
    files: dict[str, str | bytes] = {"README.md": safe, "evil.py": safe}
    files[f"{line[:60].replace('/', '-').replace(chr(0), '')}.txt"] = safe
    sha = commit(store, repository, dana, "evil", files, safe, shared.clock)
    pull = store.pulls.create(repository, dana, title=line, body=text, head="evil", base="main")
    remark = InlineComment(path="evil.py", line=1, side="RIGHT", body=text)
    store.reviews.create(
        repository, pull, dana, event="COMMENT", body=text, commit=sha, comments=(remark,)
    )
    output = {"title": line, "summary": text, "text": text}
    notes = ({"path": line, "start_line": line, "annotation_level": line, "message": text},)
    store.checks.create_run(
        repository, shared.bot, name=line, sha=sha, output=output, annotations=notes
    )
    workflow = store.actions.workflow(repository, ".github/workflows/e.yml", line)
    run = store.actions.create_run(
        repository, workflow, dana, event="push", head_sha=sha, head_branch="evil", title=line
    )
    job = store.actions.create_job(repository, run, line)
    store.actions.append_log(job, text)
    base = f"/{repository.full_name}"
    for path in (
        "/",
        base,
        f"{base}/tree/evil",
        f"{base}/blob/evil/README.md",
        f"{base}/blob/evil/evil.py",
        f"{base}/commits/evil",
        f"{base}/commit/{sha}",
        f"{base}/issues",
        f"{base}/issues/{issue.number}",
        f"{base}/pulls",
        f"{base}/pull/{pull.number}",
        f"{base}/pull/{pull.number}/files",
        f"{base}/pull/{pull.number}/checks",
        f"{base}/pull/{pull.number}/commits",
        f"{base}/actions",
        f"{base}/actions/runs/{run.id}",
    ):
        harmless(reader.get(path))


def test_nothing_but_this_server_may_be_loaded(shared: Story, reader: Browser) -> None:
    headers = reader.get(f"{shared.address}/issues/1").answer.headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_mention_stays_text(story: Story, browser: Browser) -> None:
    story.store.issues.comment(story.repository, story.issue, story.dana, "Hello @dana there")
    page = browser.get(f"{story.address}/issues/1")
    assert "Hello @dana there" in page.texts("p")
    assert "@dana" not in page.links()


def test_numbers_and_commits_become_links_but_not_in_code(story: Story, browser: Browser) -> None:
    sha = story.store.pulls.get(story.pull.id).head_sha
    text = f"See #2 and {sha}, not `#7` nor C#9x"
    story.store.issues.comment(story.repository, story.issue, story.dana, text)
    links = browser.get(f"{story.address}/issues/1").links()
    assert links["#2"] == "/dana/durations/issues/2"
    assert links[sha[:7]] == f"/dana/durations/commit/{sha}"
    assert "#7" not in links


def test_characters_that_turn_code_around_are_shown(story: Story, browser: Browser) -> None:
    files: dict[str, str | bytes] = {"trojan.py": "if admin:\u202e # \u2066nothing\n"}
    commit(story.store, story.repository, story.dana, "main", files, "Trojan", story.clock)
    page = browser.get(f"{story.address}/blob/main/trojan.py")
    assert page.texts("span", "hidden-char") == ["U+202E", "U+2066"]


ENDLESS = {
    "stars": "*a **a " * 8_000,
    "brackets": "[" * 60_000,
    "quotes": "> " * 20_000 + "x",
    "ticks": "`" * 30_000 + "x",
    "folds": "<details>" * 6_000,
    "digits": "1" * 60_000 + " passed",
    "spaces": "Cost:" + " " * 60_000 + "x",
    "columns": "| a " * 8_000 + "|\n" + "|---" * 8_000 + "|",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_texts_made_to_hang_a_parser_do_not(shared: Story, reader: Browser, name: str) -> None:
    store, dana, text = shared.store, shared.dana, ENDLESS[name][:65_000]
    repository = store.repositories.create(dana.user, f"endless-{name}")
    files: dict[str, str | bytes] = {"README.md": text, "x.py": text}
    commit(store, repository, dana, "main", files, "Begin", shared.clock)
    sha = commit(store, repository, dana, "work", {"x.py": "1\n"}, "Go on", shared.clock)
    pull = store.pulls.create(
        repository, dana, title="Endless", body=text, head="work", base="main"
    )
    store.issues.comment(repository, store.pulls.issue(pull), dana, text)
    output = {"title": "x", "summary": text}
    store.checks.create_run(repository, shared.bot, name="long", sha=sha, output=output)
    for path in ("", "/blob/main/x.py", "/pull/1", "/pull/1/files", "/pull/1/checks"):
        address = f"{reader.url}/{repository.full_name}{path}"
        assert reader.session.get(address, timeout=20).status_code == 200
