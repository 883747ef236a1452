"""The server's metrics for Prometheus: what this process counts, and what the database holds."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from importlib import resources
from typing import Literal
from wsgiref.types import WSGIApplication

import yaml
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    make_wsgi_app,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from bot.base import Data, Outcome
from bot.ports.meter import Arrival, LegEnd, RequestKind
from bot.ports.model import Usage
from bot.runs.deliveries import Deliveries
from bot.runs.worker import Health

_EVENT = re.compile(r"[a-z_]{1,40}")


class MetricLine(Data):
    """One metric as `metrics.yaml` has it."""

    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


def metric_lines() -> dict[str, MetricLine]:
    """All metrics by name."""
    text = resources.files("bot.web").joinpath("metrics.yaml").read_text("utf-8")
    return {name: MetricLine.model_validate(told) for name, told in yaml.safe_load(text).items()}


class PrometheusMeter:
    """Implements Meter in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._lines = metric_lines()
        self._deliveries = self._counter("repowright_deliveries_total")
        self._answers = self._histogram("repowright_delivery_answer_seconds")
        self._legs = self._histogram("repowright_leg_seconds")
        self._check_waits = self._histogram("repowright_check_wait_seconds")
        self._runs = self._counter("repowright_runs_ended_total")
        self._calls = self._counter("repowright_model_calls_total")
        self._call_seconds = self._histogram("repowright_model_call_seconds")
        self._tokens = self._counter("repowright_model_tokens_total")
        self._dollars = self._counter("repowright_model_dollars_total")
        self._requests = self._counter("repowright_forge_requests_total")
        self._request_seconds = self._histogram("repowright_forge_request_seconds")
        self._waits = self._counter("repowright_forge_waits_total")
        self._wait_seconds = self._counter("repowright_forge_wait_seconds_total")
        left = "repowright_forge_rate_limit_left"
        line = self._lines[left]
        self._left = Gauge(left, line.help, line.labels, registry=self.registry)

    def _counter(self, name: str) -> Counter:
        line = self._lines[name]
        return Counter(name, line.help, line.labels, registry=self.registry)

    def _histogram(self, name: str) -> Histogram:
        line = self._lines[name]
        return Histogram(name, line.help, line.labels, buckets=line.buckets, registry=self.registry)

    def delivery(self, event: str, arrival: Arrival) -> None:
        # What a stranger writes into a header must not become a time series.
        named = arrival != "refused" and _EVENT.fullmatch(event) is not None
        self._deliveries.labels(event if named else "other", arrival).inc()

    def answered(self, seconds: float) -> None:
        self._answers.observe(seconds)

    def leg(self, phase: str, end: LegEnd, seconds: float) -> None:
        self._legs.labels(phase, end).observe(seconds)

    def check_wait(self, seconds: float) -> None:
        self._check_waits.observe(seconds)

    def run_ended(self, outcome: Outcome) -> None:
        self._runs.labels(outcome.value).inc()

    def model_call(
        self, model: str, outcome: str, usage: Usage, usd: float, seconds: float
    ) -> None:
        self._calls.labels(model, outcome).inc()
        self._call_seconds.labels(model).observe(seconds)
        self._dollars.labels(model).inc(usd)
        for kind in ("input", "cache_read", "cache_write", "output"):
            self._tokens.labels(model, kind).inc(getattr(usage, kind))

    def request(self, kind: RequestKind, status: int, seconds: float) -> None:
        self._requests.labels(kind, str(status) if status else "none").inc()
        self._request_seconds.labels(kind).observe(seconds)

    def rate_limit(self, account: str, resource: str, left: int) -> None:
        self._left.labels(account, resource).set(left)

    def limited(self, seconds: float) -> None:
        self._waits.inc()
        self._wait_seconds.inc(seconds)


class _Gauges(Collector):
    """What is read when somebody asks: the same in all processes on one database."""

    def __init__(
        self,
        deliveries: Deliveries,
        health: Callable[[], Health],
        clock: Callable[[], datetime],
        lines: Mapping[str, MetricLine],
    ) -> None:
        self._deliveries = deliveries
        self._health = health
        self._clock = clock
        self._lines = lines

    def collect(self) -> Iterable[Metric]:
        try:
            values = self._values()
        except SQLAlchemyError:
            values = {"repowright_database_up": 0.0}
        for name, value in values.items():
            yield GaugeMetricFamily(name, self._lines[name].help, value)

    def _values(self) -> dict[str, float]:
        health = self._health()
        oldest = self._deliveries.oldest()
        age = (self._clock() - oldest).total_seconds() if oldest else 0.0
        return {
            "repowright_deliveries_waiting": health.deliveries,
            "repowright_oldest_delivery_age_seconds": max(age, 0.0),
            "repowright_events_waiting": health.tasks,
            "repowright_workers": health.workers,
            "repowright_legs_running": health.legs,
            "repowright_database_up": 1.0,
        }


def metrics_app(
    meter: PrometheusMeter,
    deliveries: Deliveries,
    health: Callable[[], Health],
    clock: Callable[[], datetime],
) -> WSGIApplication:
    """Answers a scrape, at any path, with what `meter` counted and the state of the database."""
    registry = meter.registry
    registry.register(_Gauges(deliveries, health, clock, metric_lines()))
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    app: WSGIApplication = make_wsgi_app(registry)
    return app
