"""What a reader sees of a pull request: what happened, what it cost, what to do next."""

from pages_browser import Browser
from pages_story import WORKING, Story


def test_three_questions_are_answered_at_the_top(shared: Story, reader: Browser) -> None:
    page = reader.get(f"{shared.address}/pull/2")
    glance = page.texts("dl", "glance")[0]
    assert "What happened 7 of 7 tests pass 2 of 7 in round 1; 3 rounds, 3 commits" in glance
    assert "What it cost $0.42 23 model calls · 4 min 10 s" in glance
    assert glance.endswith("What to do next Review the pull request and merge it.")


def test_passed_tests_grow_round_by_round(shared: Story, reader: Browser) -> None:
    page = reader.get(f"{shared.address}/pull/2")
    growth = page.texts("figure", "growth")[0]
    assert "Round 1 2 / 7 passed Code 1 4 / 7 passed Code 2 7 / 7 passed" in growth
    widths = [round(float(bar.get("width"))) for bar in page.all("rect", "pass")[:3]]
    assert widths == [29, 57, 100]


def test_each_round_holds_its_commits_checks_and_review(shared: Story, reader: Browser) -> None:
    rounds = reader.get(f"{shared.address}/pull/2").all("details", "round")
    said = [" ".join(one.text.split()) for one in rounds]
    assert said[0].startswith("Round 1 Architecture and skeleton 2/7 tests checks failed")
    assert said[2].startswith("Code 2 Repair the rest 7/7 tests checks passed")
    assert "Interface Verifier revise" in said[0]
    assert "Interface Verifier pass" in said[2]
    assert "Only hours here?" in said[0]
    assert "repowright bot reviewed" in said[0]
    assert [" ago revise" in one for one in said] == [True, True, False]
    assert ["open" in one.attributes for one in rounds] == [False, False, True]


def test_a_comment_stands_in_the_round_in_which_it_was_made(story: Story, browser: Browser) -> None:
    story.clock.forward(5)
    pull = story.store.pulls.issue(story.pull)
    story.store.issues.comment(story.repository, pull, story.dana, "Well done.")
    rounds = browser.get(f"{story.address}/pull/2").all("details", "round")
    assert ["Well done." in one.text for one in rounds] == [False, False, True]


def test_the_state_goes_from_draft_to_open_to_merged(story: Story, browser: Browser) -> None:
    address = f"{story.address}/pull/2"
    assert browser.get(address).texts("span", "pill")[0] == "Draft"
    pull = story.store.pulls.set_draft(story.repository, story.pull, story.bot, draft=False)
    assert browser.get(address).texts("span", "pill")[0] == "Open"
    update = story.store.pulls.merge(story.repository, pull, story.dana)
    story.store.record_push(story.repository, story.dana, (update,))
    page = browser.get(address)
    assert page.texts("span", "pill")[0] == "Merged"
    assert len(page.all("details", "round")) == 3


def test_without_words_from_the_bot_the_page_still_says_what_to_do(
    story: Story, browser: Browser
) -> None:
    progress = story.store.issues.comments(story.issue)[0]
    story.store.issues.edit_comment(story.repository, progress, story.bot, "Working.")
    glance = browser.get(f"{story.address}/pull/2").texts("dl", "glance")[0]
    assert "nobody has reported a cost" in glance
    assert "Work is under way" in glance


def test_while_the_bot_works_its_next_step_is_told(story: Story, browser: Browser) -> None:
    progress = story.store.issues.comments(story.issue)[0]
    story.store.issues.edit_comment(story.repository, progress, story.bot, WORKING)
    glance = browser.get(f"{story.address}/pull/2").texts("dl", "glance")[0]
    assert "What it cost $0.21 of $5.00 · 11 model calls · 2 min 5 s" in glance
    assert "Nothing yet. The bot goes on: repair what fails." in glance


def test_a_run_that_did_not_pass_says_how_it_ended(story: Story, browser: Browser) -> None:
    progress = story.store.issues.comments(story.issue)[0]
    text = (
        "### ⚠️ Repowright: budget exhausted\n\n**What to do next:** Comment `/repowright budget`."
    )
    story.store.issues.edit_comment(story.repository, progress, story.bot, text)
    glance = browser.get(f"{story.address}/pull/2").texts("dl", "glance")[0]
    assert "the run ended: budget exhausted" in glance
    assert glance.endswith("Comment /repowright budget.")


def test_a_strangers_comment_does_not_speak_of_the_cost(story: Story, browser: Browser) -> None:
    story.clock.forward(5)
    story.store.issues.comment(story.repository, story.issue, story.dana, "Cost: $9,999")
    assert "9,999" not in browser.get(f"{story.address}/pull/2").texts("dl", "glance")[0]


def test_inline_comments_stand_below_their_line_in_the_diff(shared: Story, reader: Browser) -> None:
    page = reader.get(f"{shared.address}/pull/2/files")
    rows = page.texts("tr")
    at = next(i for i, row in enumerate(rows) if "UNITS" in row)
    assert "Only hours here?" in rows[at + 1]
    assert "1 file changed" in page.text


def test_a_comment_on_a_line_that_has_changed_is_kept_apart(story: Story, browser: Browser) -> None:
    (comment,) = story.store.reviews.pull_comments(story.pull)
    story.store.tables.review_comments.update(comment, line=None, position=None)
    page = browser.get(f"{story.address}/pull/2/files")
    assert "On lines that have changed since" in page.texts("h2")
    assert "outdated" in page.texts("span", "label")


def test_checks_show_jobs_steps_logs_summary_annotations_and_artifacts(
    shared: Story, reader: Browser
) -> None:
    page = reader.get(f"{shared.address}/pull/2/checks")
    assert "Checks on" in page.texts("h2")[0]
    job = page.texts("details", "job")[0]
    assert "passed Check / tests 7 passed, 0 failed 20 s" in job
    assert "Job summary" in job
    assert "failure durations/parse.py:7 off by one" in job
    steps = page.texts("details", "step")
    assert steps == ["passed Install 4 s 1 wheels are there", "passed Run tests 4 s 1 boom"]
    download = reader.get(page.links()["repowright-report.zip"]).answer
    assert download.content.startswith(b"PK")
    assert download.headers["Content-Type"] == "application/zip"


def test_checks_of_an_earlier_round_can_be_chosen(shared: Story, reader: Browser) -> None:
    page = reader.get(f"{shared.address}/pull/2/checks")
    earlier = next(href for text, href in page.links().items() if text.startswith("Round 1"))
    job = reader.get(f"{shared.address}/pull/2/checks{earlier}").texts("details", "job")[0]
    assert "failed Check / tests 2 passed, 5 failed" in job


def test_a_workflow_run_opens_the_log_of_the_step_that_failed(
    shared: Story, reader: Browser
) -> None:
    runs = reader.get(f"{shared.address}/actions")
    assert len(runs.all("a", "title")) == 3
    page = reader.get(f"{shared.address}/actions/runs/{shared.runs[0].id}")
    opened = [tag for tag in page.all("details", "step") if "open" in tag.attributes]
    assert ["Run tests" in tag.text for tag in opened] == [True]
    assert page.texts("tr", "err") == ["1 boom"]


def test_a_check_run_has_a_page(shared: Story, reader: Browser) -> None:
    page = reader.get(f"{shared.address}/pull/2")
    judge = reader.get(page.links()["repowright / judge"])
    assert judge.texts("h1") == ["repowright / judge"]
    assert "Interface Verifier" in judge.text
