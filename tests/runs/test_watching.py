"""What those who run the server see of it: metrics and log lines of a whole run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import requests
import yaml
from prometheus_client.parser import text_string_to_metric_families
from server_town import SECRET, Town, eventually

from bot.serving import Server

sys.path.insert(0, str(Path(__file__).parent.parent / "journeys"))
from tally_journey import WRONG

pytestmark = pytest.mark.timeout(300)

LABEL = "repowright"
WRITTEN = {"code.*/write/tally/counting.py#1": WRONG}


def scraped(server: Server) -> dict[str, dict[tuple[str, ...], float]]:
    """Value by metric and by the values of its labels, in the order of their names."""
    answer = requests.get(server.metrics_url, timeout=20)
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            labels = tuple(value for _, value in sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


def test_a_run_can_be_followed_in_the_metrics(town: Town) -> None:
    town.replies = WRITTEN
    place = town.repository()
    with town.server(metrics_port=0) as server:
        issue = town.open_issue(place, town.ann, LABEL)
        eventually("the wait for the check", lambda: town.waits(place, issue))
        eventually("rest", town.is_idle)
        town.say(place, issue.number, town.ann, "/repowright cancel")
        eventually("the end", lambda: town.outcome(place, issue) is not None)
        eventually("rest", town.is_idle)
        shown = scraped(server)
        assert requests.get(f"{server.url}/metrics", timeout=20).status_code == 404
    deliveries = shown["repowright_deliveries_total"]
    assert deliveries["issues", "stored"] >= 1
    assert deliveries["issues", "worked"] >= 1
    assert deliveries["issue_comment", "stored"] >= 1
    assert shown["repowright_delivery_answer_seconds_count"][()] == sum(
        count for (_, outcome), count in deliveries.items() if outcome in ("stored", "known")
    )
    legs = shown["repowright_leg_seconds_count"]
    assert legs["went_on", "open"] == 1
    assert legs["waits_check", "code"] == 1
    assert shown["repowright_runs_ended_total"] == {("cancelled",): 1}
    assert shown["repowright_check_wait_seconds_count"][()] == 1
    assert shown["repowright_model_calls_total"]["claude-opus-4.8", "stop"] == 1
    assert shown["repowright_model_tokens_total"]["output", "claude-opus-4.8"] > 0
    assert shown["repowright_model_dollars_total"]["claude-opus-4.8",] > 0
    assert shown["repowright_forge_requests_total"]["write", "201"] >= 3
    assert shown["repowright_forge_requests_total"]["read", "200"] >= 3
    left = shown["repowright_forge_rate_limit_left"]
    assert 0 < left[str(town.installation.id), "core"] <= 5000
    assert shown["repowright_deliveries_waiting"][()] == 0
    assert shown["repowright_workers"][()] == 1


def test_without_a_port_nothing_is_shown(town: Town) -> None:
    with town.server() as server:
        assert server.metrics_url == ""
        assert requests.get(f"{server.url}/metrics", timeout=20).status_code == 404


def test_each_line_of_the_log_says_what_it_is_about(town: Town) -> None:
    place = town.repository()
    mailbox = town.folder / "mailbox"
    mailbox.mkdir()
    settings = town.server_settings(backend=f"mailbox:{mailbox}", log_format="json")
    config = town.folder / "server.yaml"
    config.write_text(yaml.safe_dump(settings.model_dump(mode="json", exclude_defaults=True)))
    log = town.folder / "serve.log"
    command = [str(Path(sys.executable).parent / "repowright"), "serve", "--config", str(config)]
    with log.open("w") as output:
        served = subprocess.Popen(
            command, env=os.environ | {"REPOWRIGHT_WEBHOOK_SECRET": SECRET}, stderr=output
        )
    try:
        eventually("the server", lambda: "listening" in log.read_text())
        issue = town.open_issue(place, town.ann, LABEL)
        eventually("a question to the model", lambda: any(mailbox.glob("*.request.json")))
        run = town.run(place, issue)
    finally:
        served.kill()
        served.wait()
    assert run is not None
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    read = [line for line in lines if "delivery" in line]
    labelled = [line for line in read if "labelled" in line["event"]]
    assert {(line["repository"], line["issue"]) for line in labelled} == {("ann/tally", 1)}
    mine = [line for line in lines if line.get("run") == run.run_id]
    assert {(line["repository"], line["issue"]) for line in mine} == {("ann/tally", 1)}
    told = [line for line in mine if line["logger"] == "repowright.run"]
    assert {"architecture", "skeleton"} <= {line["phase"] for line in told}
    assert SECRET not in log.read_text()
