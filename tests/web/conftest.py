"""Fixtures of the webhook endpoint."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr
from webhook_endpoint import SECRET, Endpoint, served

from bot.runs.database import open_database
from bot.runs.deliveries import SqlDeliveries
from bot.web.webhook import create_app


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[Endpoint]:
    engine = open_database(tmp_path / "bot.sqlite3")
    made = Endpoint(SqlDeliveries(engine))
    app = create_app(
        SecretStr(SECRET),
        made.deliveries,
        lambda: datetime(2026, 1, 2, tzinfo=UTC),
        stored=lambda: made.bells.append(None),
        health=made.health,
    )
    with served(app) as made.url:
        yield made
    engine.dispose()
