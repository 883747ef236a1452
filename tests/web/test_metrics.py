"""What a scrape shows, and that the documentation says so."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from webhook_endpoint import served

from bot.base import Outcome
from bot.ports.model import Usage
from bot.runs.database import open_database
from bot.runs.deliveries import Delivery, SqlDeliveries
from bot.runs.worker import Health
from bot.web.metrics import PrometheusMeter, metric_lines, metrics_app

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
DOCUMENTED = Path(__file__).parents[2] / "docs" / "operations.md"


class Watched:
    """A server's counts and database, and what a scrape shows of them."""

    def __init__(self, database: Path) -> None:
        self.meter = PrometheusMeter()
        self.engine = open_database(database)
        self.deliveries = SqlDeliveries(self.engine)

    def health(self) -> Health:
        waiting = self.deliveries.waiting()
        return Health(working=True, deliveries=waiting, tasks=3, legs=2, workers=1)

    def keep(self, *ids: str, minutes: int = 0) -> None:
        for id_ in ids:
            self.deliveries.add(
                Delivery(
                    id=id_,
                    event="issues",
                    content_type="application/json",
                    body=b"{}",
                    received_at=NOW.replace(hour=11, minute=60 - minutes),
                )
            )

    @contextmanager
    def scraped(self) -> Iterator[dict[str, float]]:
        """Every sample as Prometheus writes it: name{label="value",…}, labels in order."""
        app = metrics_app(self.meter, self.deliveries, self.health, lambda: NOW)
        with served(app) as url:
            yield _samples(_families(url))


def _families(url: str) -> list[Metric]:
    answer = requests.get(f"{url}/metrics", timeout=20)
    assert answer.headers["Content-Type"].startswith("text/plain")
    return list(text_string_to_metric_families(answer.text))


def _samples(families: list[Metric]) -> dict[str, float]:
    found = {}
    for family in families:
        for sample in family.samples:
            labels = ",".join(f'{k}="{v}"' for k, v in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    made = Watched(tmp_path / "bot.sqlite3")
    yield made
    made.engine.dispose()


def test_what_happens_is_counted_by_kind(watched: Watched) -> None:
    meter = watched.meter
    for arrival in ("stored", "stored", "known", "ignored"):
        meter.delivery("issues", arrival)
    meter.leg("code", "waits_check", 12.5)
    meter.run_ended(Outcome.PASSED)
    usage = Usage(input=100, cache_read=20, cache_write=3, output=50)
    meter.model_call("a-model", "stop", usage, 0.25, 4.0)
    meter.model_call("a-model", "failed", Usage(), 0.5, 1.0)
    meter.request("write", 201, 0.2)
    meter.request("read", 0, 30.0)
    meter.rate_limit("77", "core", 4321)
    meter.limited(60.0)
    with watched.scraped() as shown:
        assert shown['repowright_deliveries_total{event="issues",outcome="stored"}'] == 2
        assert shown['repowright_deliveries_total{event="issues",outcome="known"}'] == 1
        assert shown['repowright_deliveries_total{event="issues",outcome="ignored"}'] == 1
        leg = '{outcome="waits_check",phase="code"}'
        assert shown[f"repowright_leg_seconds_sum{leg}"] == 12.5
        assert shown['repowright_runs_ended_total{outcome="passed"}'] == 1
        assert shown['repowright_model_calls_total{model="a-model",outcome="failed"}'] == 1
        assert shown['repowright_model_tokens_total{kind="cache_read",model="a-model"}'] == 20
        assert shown['repowright_model_dollars_total{model="a-model"}'] == 0.75
        assert shown['repowright_forge_requests_total{kind="write",status="201"}'] == 1
        assert shown['repowright_forge_requests_total{kind="read",status="none"}'] == 1
        assert shown['repowright_forge_rate_limit_left{account="77",resource="core"}'] == 4321
        assert shown["repowright_forge_wait_seconds_total"] == 60


def test_the_database_is_looked_at_when_somebody_asks(watched: Watched) -> None:
    watched.keep("late", minutes=5)
    watched.keep("early", "worked", minutes=1)
    watched.deliveries.settle("worked", "worked")
    with watched.scraped() as shown:
        assert shown["repowright_deliveries_waiting"] == 2
        assert shown["repowright_oldest_delivery_age_seconds"] == 300
        assert shown["repowright_events_waiting"] == 3
        assert shown["repowright_legs_running"] == 2
        assert shown["repowright_workers"] == 1
        assert shown["repowright_database_up"] == 1


def test_a_scrape_is_answered_while_the_database_is_gone(watched: Watched, tmp_path: Path) -> None:
    watched.meter.run_ended(Outcome.PASSED)
    with watched.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE deliveries")
    with watched.scraped() as shown:
        assert shown["repowright_database_up"] == 0
        assert shown['repowright_runs_ended_total{outcome="passed"}'] == 1
        assert "repowright_deliveries_waiting" not in shown


def test_strangers_make_no_time_series(watched: Watched) -> None:
    watched.meter.delivery("made_up_by_a_stranger", "refused")
    watched.meter.delivery('no"event\n', "stored")
    with watched.scraped() as shown:
        counted = {name for name in shown if name.startswith("repowright_deliveries_total")}
    assert counted == {
        'repowright_deliveries_total{event="other",outcome="refused"}',
        'repowright_deliveries_total{event="other",outcome="stored"}',
    }


def test_the_documentation_has_the_table_of_what_is_shown(watched: Watched) -> None:
    with watched.scraped() as shown:
        ours = {re.split(r"[{]", name)[0] for name in shown}
    table = {}
    for line in DOCUMENTED.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        if len(cells) == 4 and cells[0].startswith("| `repowright_"):
            name, kind, labels, text = cells
            named = tuple(re.findall(r"`(\w+)`", labels))
            table[name.strip("| `")] = (kind, named, text.removesuffix(" |"))
    lines = metric_lines()
    assert table == {name: (m.kind, m.labels, m.help) for name, m in lines.items()}
    unlabelled = {
        f"{name}_count" if line.kind == "histogram" else name
        for name, line in lines.items()
        if not line.labels
    }
    assert unlabelled <= ours
