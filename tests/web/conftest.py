"""Fixtures of the webhook endpoint."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr
from webhook_endpoint import SECRET, Endpoint

from bot.forge.embedded.serving import BackgroundServer
from bot.runs.deliveries import SqlDeliveries
from bot.runs.database import open_database
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
    with socket.create_server(("127.0.0.1", 0)) as listening:
        made.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        web = BackgroundServer(app, "endpoint", sockets=[listening], threads=4).start()
        yield made
        web.stop()
    engine.dispose()
