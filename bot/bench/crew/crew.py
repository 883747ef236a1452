"""The processes of the bot: one that takes deliveries, and workers that may be killed."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from bot.bench.crew.town import HOOK_KEY, Town


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


class Crew:
    """A context manager: ends all processes."""

    def __init__(self, town: Town, database: str, model: str, port: int, folder: Path) -> None:
        """`model` is the base of the endpoint's API."""
        self._folder = folder
        self._settings: dict[str, Any] = {
            "api_url": town.github.api_url,
            "app_id": town.app_id,
            "private_key_path": str(town.key),
            "database": database,
            "experience": "off",
            "seconds_between_writes": 0,
            "settle_seconds": 0.1,
            "writes_per_minute": 1_000_000,
            "writes_per_hour": 1_000_000,
            "poll_seconds": 5,
            "pulse_seconds": 0.2,
            "worker_timeout_seconds": 5,
            "run": {
                "model": "claude-opus-4.8",
                "budget": {"usd": 40.0},
                "endpoint": {"base_url": model, "api_key_env": ""},
                # One person starts them all.
                "ceilings": {"starts_of_person": 1_000, "starts_of_repository": 1_000},
            },
        }
        self._port = port
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Crew":
        self._start("receiver", "serve", port=self._port, threads=0)
        return self

    def __exit__(self, *_: object) -> None:
        for name in list(self._running):
            self.kill(name)

    def start(self, name: str, threads: int) -> None:
        self._start(name, "worker", port=free_port(), threads=threads)

    def kill(self, name: str) -> None:
        """SIGKILL: nothing is tidied up."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def _start(self, name: str, command: str, *, port: int, threads: int) -> None:
        place = self._folder / name
        place.mkdir(parents=True, exist_ok=True)
        config = place / "server.yaml"
        mine = {"data": str(place / "data"), "port": port, "threads": threads, "worker_id": name}
        config.write_text(yaml.safe_dump(self._settings | mine))
        with (place / "log").open("a") as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, "-m", "bot", command, "--config", str(config)],
                env=os.environ | {"REPOWRIGHT_WEBHOOK_SECRET": HOOK_KEY},
                stdout=log,
                stderr=log,
            )
