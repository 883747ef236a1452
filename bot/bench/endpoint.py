"""An OpenAI-compatible endpoint on this machine, for benches."""

import socket
from abc import ABC, abstractmethod
from typing import Any, Self

from flask import Flask, Response, jsonify, request

from bot.forge.embedded.serving import BackgroundServer
from bot.ports.model import Usage


class LocalEndpoint(ABC):
    """A context manager; `threads` calls are answered at once."""

    def __init__(self, name: str, threads: int) -> None:
        app = Flask(name, static_folder=None)
        app.post("/v1/chat/completions")(self._complete)
        listening = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        self._server = BackgroundServer(app, name, sockets=[listening], threads=threads)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    @abstractmethod
    def answer(self, body: dict[str, Any]) -> tuple[str, Usage] | None:
        """The text for a chat completion's body, and what is said to be used; None for none."""

    def _complete(self) -> tuple[Response, int]:
        body = request.get_json()
        answered = self.answer(body)
        if answered is None:
            return jsonify(error={"message": "there is no reply to these messages"}), 400
        text, usage = answered
        message = {"role": "assistant", "content": text}
        told = {
            "id": "bench",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {
                "prompt_tokens": usage.input,
                "completion_tokens": usage.output,
                "total_tokens": usage.input + usage.output,
            },
        }
        return jsonify(told), 200
