"""What a reader sees of repositories, files, commits and issues."""

import pytest
from pages_browser import Browser
from pages_story import BRANCH, Story, commit

from bot.forge.embedded.server import EmbeddedGitHub


def test_home_lists_repositories_with_what_is_open(shared: Story, reader: Browser) -> None:
    page = reader.get("/")
    assert page.status == 200
    assert page.links()["dana/durations"] == "/dana/durations"
    assert "Text & seconds" in page.text
    assert "1 open issue" in page.text
    assert "1 open pull request" in page.text


def test_home_of_an_empty_server_says_how_to_begin(browser: Browser) -> None:
    assert "There is no repository here yet." in browser.get("/").text


def test_a_repository_shows_its_files_and_its_readme(shared: Story, reader: Browser) -> None:
    page = reader.get(shared.address)
    assert page.links()["docs/"] == "/dana/durations/tree/main/docs"
    assert page.links()["README.md"] == "/dana/durations/blob/main/README.md"
    assert page.links()["the notes"] == "/dana/durations/blob/main/docs/notes.md"
    assert page.all("img")[0].get("src") == "/dana/durations/raw/main/logo.png"
    assert f"git clone {reader.url}/dana/durations.git" in page.text
    assert "1 commit" in page.text


def test_an_empty_repository_says_how_to_push(story: Story, browser: Browser) -> None:
    story.store.repositories.create(story.dana.user, "empty")
    assert "git push -u origin main" in browser.get("/dana/empty").text


def test_a_file_has_coloured_lines_with_anchors(shared: Story, reader: Browser) -> None:
    page = reader.get(f"{shared.address}/blob/{BRANCH}/durations/parse.py")
    assert (
        page.all("tr", id="L6")[0].text.strip().split(maxsplit=1)[1]
        == "def parse(text: str) -> int:"
    )
    assert page.all("a", href="#L6")
    assert "parse" in [tag.text for tag in page.all("span", "nf")]


def test_names_with_spaces_and_signs_can_be_followed(shared: Story, reader: Browser) -> None:
    folder = reader.get(reader.get(shared.address).links()["a b/"])
    assert "x = 1" in reader.get(folder.links()["c#d.py"]).text


def test_names_that_are_not_utf8_break_no_page(story: Story, browser: Browser) -> None:
    git = story.store.git(story.repository)
    blob = git.write_blob(b"x")
    tree = git.git("mktree", "-z", stdin=b"100644 blob " + blob.encode() + b"\tcaf\xe9.txt\0")
    head = git.commit(git.refs("refs/heads/")["refs/heads/main"])
    sha = git.write_commit(tree.decode().strip(), [], "Latin", head.author, head.author)
    page = browser.get(f"{story.address}/tree/{sha}")
    assert page.status == 200
    assert [name for name in page.links() if name.startswith("caf")] == ["caf\ufffd.txt"]
    assert browser.get(f"{story.address}/commit/{sha}").status == 200


def test_a_binary_file_is_not_shown_as_text(story: Story, browser: Browser) -> None:
    data: dict[str, str | bytes] = {"data.bin": b"\0\1\2"}
    commit(story.store, story.repository, story.dana, "main", data, "Data", story.clock)
    assert "A binary file" in browser.get(f"{story.address}/blob/main/data.bin").text
    raw = browser.get(f"{story.address}/raw/main/data.bin").answer
    assert raw.content == b"\0\1\2"
    assert raw.headers["Content-Type"] == "application/octet-stream"


def test_raw_html_is_plain_text(story: Story, browser: Browser) -> None:
    files: dict[str, str | bytes] = {"evil.html": "<script>alert(1)</script>"}
    commit(story.store, story.repository, story.dana, "main", files, "Page", story.clock)
    answer = browser.get(f"{story.address}/raw/main/evil.html").answer
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]


def test_commits_are_listed_with_the_result_of_their_checks(shared: Story, reader: Browser) -> None:
    page = reader.get(f"{shared.address}/commits/{BRANCH}")
    rows = [" ".join(tag.text.split()) for tag in page.all("li")]
    assert rows[0].startswith("Code, round 2: repair the rest [skip ci] passed")
    assert rows[1].startswith("Code, round 1: repair the return value failed")
    assert rows[-1].startswith("Begin")


def test_a_commit_shows_its_diff(shared: Story, reader: Browser) -> None:
    listed = reader.get(f"{shared.address}/commits/{BRANCH}").links()
    page = reader.get(listed["Code, round 1: repair the return value"])
    assert page.texts("tr", "del") == ["7 − return 0"]
    assert page.texts("tr", "add") == ["7 + return 1"]
    assert "1 file changed" in page.text


def test_the_issue_is_rendered_with_labels_and_reactions(shared: Story, reader: Browser) -> None:
    page = reader.get(f"{shared.address}/issues/1")
    assert "Parse durations #1" in page.texts("h1")[0]
    assert "seconds" in page.texts("strong")
    assert page.all("td", align="right")
    assert "repowright" in page.texts("span", "label")
    assert page.texts("ul", "reactions") == ["rocket 1"]
    assert "Worked on in Durations #2 Draft 7 of 7 passed" in page.text
    assert "$0.42" in page.text


def test_a_diagram_is_a_labelled_figure_with_its_source(shared: Story, reader: Browser) -> None:
    page = reader.get(f"{shared.address}/issues/1")
    assert page.texts("figure", "diagram") == ["Diagram classDiagram classDiagram class Parser"]
    assert "Inside the fold." in " ".join(page.texts("details"))


def test_lists_of_issues_and_pull_requests(shared: Story, reader: Browser) -> None:
    issues = reader.get(f"{shared.address}/issues")
    assert issues.links()["Parse durations"] == "/dana/durations/issues/1"
    pulls = reader.get(f"{shared.address}/pulls")
    assert pulls.links()["Durations"] == "/dana/durations/pull/2"
    assert "Draft" in pulls.text
    assert "None are closed." in reader.get(f"{shared.address}/pulls?state=closed").text


def test_an_issue_address_of_a_pull_request_leads_to_it(shared: Story, reader: Browser) -> None:
    assert reader.get(f"{shared.address}/issues/2").answer.url.endswith("/pull/2")


def test_an_old_name_leads_to_the_new_one(story: Story, browser: Browser) -> None:
    story.store.repositories.edit(story.repository, story.dana, name="times")
    page = browser.get(f"{story.address}/issues/1?x=1")
    assert page.answer.url == f"{browser.url}/dana/times/issues/1?x=1"
    assert page.status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/nobody/nothing",
        "/nobody",
        "/dana/durations/no/such/page",
        "/dana/durations/issues/99",
        "/dana/durations/pull/99",
        "/dana/durations/blob/main/missing.py",
        "/dana/durations/blob/main/..%2f..%2f..%2f..%2fetc/passwd",
        "/dana/durations/tree/main/%00",
        "/dana/durations/tree/no-such-branch",
        "/dana/durations/commit/" + "0" * 40,
        "/dana/durations/commit/--output=x",
        "/dana/durations/actions/runs/99",
        "/dana/durations/runs/99",
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(
    shared: Story, reader: Browser, path: str
) -> None:
    page = reader.get(path)
    assert page.status == 404
    assert page.texts("h1") == ["There is no such page"]
    assert page.links()["All repositories"] == "/"


def test_private_repositories_are_for_trusted_readers(
    github: EmbeddedGitHub, story: Story, browser: Browser
) -> None:
    story.store.repositories.create(story.dana.user, "secret", private=True)
    assert browser.get("/dana/secret").status == 200
    rebound = {"Host": f"evil.example:{github.port}"}
    assert browser.get("/dana/secret", headers=rebound).status == 404
    assert "secret" not in browser.get("/", headers=rebound).text
    del github.app.config["PAGES_MAINTAINER"]
    assert browser.get("/dana/secret").status == 404
