"""An OpenAI-compatible endpoint that answers with recorded replies and counts what it is asked."""

import socket
import threading
import time
from collections import Counter
from collections.abc import Iterable
from typing import Self

from flask import Flask, Response, jsonify, request

from bot.forge.embedded.serving import BackgroundServer
from bot.model.journal import CallRecord


class RecordedEndpoint:
    """A context manager; `asked` counts the calls by step of the recording, `first_asked` is when
    the first came, in seconds since 1970."""

    def __init__(self, calls: Iterable[CallRecord]) -> None:
        self._replies = {
            tuple(m.content for m in call.request.messages): call for call in calls if call.reply
        }
        self.asked: Counter[str] = Counter()
        self.first_asked: float | None = None
        self._lock = threading.Lock()
        app = Flask("recorded", static_folder=None)
        app.post("/v1/chat/completions")(self._complete)
        listening = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        self._server = BackgroundServer(app, "recorded-model", sockets=[listening], threads=8)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    def _complete(self) -> tuple[Response, int]:
        body = request.get_json()
        with self._lock:
            self.first_asked = self.first_asked or time.time()
        call = self._replies.get(tuple(m["content"] for m in body["messages"]))
        if call is None or call.reply is None:
            return jsonify(error={"message": "no recorded call has these messages"}), 400
        with self._lock:
            self.asked[call.request.step] += 1
        usage = call.reply.usage
        told = {
            "id": call.call,
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": call.reply.text},
                }
            ],
            "usage": {
                "prompt_tokens": usage.input,
                "completion_tokens": usage.output,
                "total_tokens": usage.input + usage.output,
            },
        }
        return jsonify(told), 200
