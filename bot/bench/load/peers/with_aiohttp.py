"""A webhook endpoint with aiohttp and gidgethub, as their documentation has it: it verifies a
delivery and reads it, and with a file to keep it in does so before it answers."""

import os
import sqlite3
import sys

from aiohttp import web
from gidgethub import ValidationFailure, sansio


def application(secret: str, file: str) -> web.Application:
    """Without a `file` deliveries are verified, answered and forgotten."""
    database = _opened(file) if file else None

    async def webhook(request: web.Request) -> web.Response:
        body = await request.read()
        try:
            event = sansio.Event.from_http(request.headers, body, secret=secret)
        except ValidationFailure:
            return web.Response(status=401)
        if database is not None:
            row = (event.delivery_id, event.event, body)
            database.execute("INSERT OR IGNORE INTO deliveries VALUES (?, ?, ?)", row)
        return web.Response(status=202)

    made = web.Application(client_max_size=25 * 1024 * 1024)
    made.router.add_post("/webhook", webhook)
    return made


def _opened(file: str) -> sqlite3.Connection:
    """Every statement is a transaction, on disk when it returns."""
    database = sqlite3.connect(file, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE deliveries (id TEXT PRIMARY KEY, event TEXT, body BLOB)")
    return database


def main() -> None:
    """PORT [FILE]"""
    port, file = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    made = application(os.environ["WEBHOOK_SECRET"], file)
    web.run_app(made, host="127.0.0.1", port=port, print=None, access_log=None)


if __name__ == "__main__":
    main()
