"""The OpenAI backend against a real server: what is retried, what is not, what is read."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bot.config import EndpointSettings
from bot.model.ledger import Ledger
from bot.model.openai_backend import OpenAIBackend
from bot.ports.model import ModelError, Usage

from .kit import UNLIMITED, ask, recorded
from .server import (
    Handler,
    Server,
    Turn,
    answers,
    completion,
    drops,
    echoes_key,
    fails,
    serving,
    stalls,
    trickles,
)

KEY = "sk-test-51aa-secret-key"
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def backend(server: Server, **changes: Any) -> OpenAIBackend:
    fallbacks = changes.pop("fallbacks", ())
    waits = changes.pop("waits", [])
    settings = EndpointSettings.model_validate(
        {"base_url": server.url, "api_key_env": "KEY", "attempts": 3, "seconds": 10, **changes}
    )
    return OpenAIBackend(settings, {"KEY": KEY}, fallbacks=fallbacks, sleep=waits.append)


def test_a_reply_comes_with_text_usage_and_the_model_that_answered() -> None:
    with serving(answers(completion("def f(): ...", usage=USAGE))) as server:
        reply = backend(server).complete(ask())
        seen = server.seen
    assert reply.text == "def f(): ..."
    assert reply.finish_reason == "stop"
    assert reply.usage == Usage(input=100, output=20)
    assert reply.model == "served-model"
    assert seen[0].path == "/v1/chat/completions"
    assert seen[0].authorization == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-5", {"max_completion_tokens": 1000, "response_format": {"type": "json_object"}}),
        (
            "gpt-4o",
            {
                "max_completion_tokens": 1000,
                "temperature": 0.8,
                "response_format": {"type": "json_object"},
            },
        ),
        ("claude-opus-4-8", {"max_tokens": 1000}),
        ("claude-sonnet-4-5", {"max_tokens": 1000, "temperature": 0.8}),
        ("llama-local", {"max_tokens": 1000, "temperature": 0.8}),
    ],
)
def test_a_model_gets_only_what_its_family_accepts(model: str, expected: dict[str, Any]) -> None:
    with serving() as server:
        backend(server).complete(ask(model=model, json_object=True, temperature=0.8))
        body = server.seen[0].body
    system = "developer" if model == "gpt-5" else "system"
    assert [m["role"] for m in body.pop("messages")] == [system, "user"]
    assert body.pop("model") == model
    assert body == expected


def test_a_private_deployment_accepts_what_the_user_says() -> None:
    with serving() as server:
        backend(server, accepts_as={"prod-*": "gpt-5"}).complete(ask(model="prod-chat"))
        body = server.seen[0].body
    assert body["model"] == "prod-chat"
    assert body["max_completion_tokens"] == 1000
    assert "temperature" not in body


def test_reasoning_effort_and_the_most_output_follow_the_table() -> None:
    with serving() as server:
        model = backend(server, reasoning_effort="high")
        model.complete(ask(model="gpt-5"))
        model.complete(ask(model="gpt-4o", max_output=100_000))
        first, second = (seen.body for seen in server.seen)
    assert first["reasoning_effort"] == "high"
    assert "reasoning_effort" not in second
    assert second["max_completion_tokens"] == 16_384


@pytest.mark.parametrize(
    ("turn", "wait"),
    [
        (fails(429, retry_after="7"), 7.0),
        (fails(429, retry_after_ms="250"), 0.25),
        (fails(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), 0.0),
    ],
)
def test_it_waits_as_the_server_says(turn: Turn, wait: float) -> None:
    waits: list[float] = []
    with serving(turn) as server:
        assert backend(server, waits=waits).complete(ask()).text == "hello"
    assert waits == [wait]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_may_pass_is_tried_again(status: int) -> None:
    waits: list[float] = []
    with serving(fails(status), fails(status)) as server:
        assert backend(server, waits=waits).complete(ask()).text == "hello"
        assert len(server.seen) == 3
    assert len(waits) == 2
    assert 1.0 <= waits[0] < waits[1] <= 3.0


@pytest.mark.parametrize("turn", [drops, answers("<html>Bad gateway</html>"), answers("")])
def test_broken_responses_are_tried_again(turn: Turn) -> None:
    with serving(turn) as server:
        assert backend(server).complete(ask()).text == "hello"
        assert len(server.seen) == 2


@pytest.mark.parametrize("turn", [stalls, trickles])
def test_a_server_that_never_answers_is_left_at_the_deadline(turn: Turn) -> None:
    with serving(always=turn) as server, pytest.raises(ModelError) as caught:
        backend(server, seconds=0.5, attempts=2).complete(ask())
    assert len(server.seen) == 2
    assert "gpt-5: no complete reply within 0.5 seconds" in caught.value.sentence


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_what_cannot_pass_is_not_tried_again(status: int) -> None:
    with serving(fails(status, "not like this")) as server, pytest.raises(ModelError) as caught:
        backend(server).complete(ask())
    assert len(server.seen) == 1
    assert f"gpt-5: the server answered {status}: not like this" in caught.value.what


@pytest.mark.parametrize(
    "error",
    [
        {"message": "quota", "type": "insufficient_quota", "code": "insufficient_quota"},
        {"message": "quota", "type": "insufficient_quota", "code": "project_spend_limit_exceeded"},
    ],
)
def test_an_empty_account_is_not_a_rate_limit(error: dict[str, str]) -> None:
    with serving(answers({"error": error}, 429)) as server, pytest.raises(ModelError):
        backend(server, fallbacks=("gpt-4o",)).complete(ask())
    assert len(server.seen) == 1


def test_a_wait_longer_than_the_limit_is_not_begun() -> None:
    waits: list[float] = []
    with serving(fails(429, retry_after="3600")) as server, pytest.raises(ModelError) as caught:
        backend(server, waits=waits).complete(ask())
    assert waits == []
    assert "it asks to wait 3600 seconds" in caught.value.sentence


def test_fallback_models_are_asked_in_order() -> None:
    turns = [fails(500), fails(500), fails(500), fails(404, "no such model")]
    with serving(*turns) as server:
        model = backend(server, fallbacks=("gpt-4o", "claude-opus-4-8"))
        assert model.complete(ask()).text == "hello"
        asked = [seen.body["model"] for seen in server.seen]
    assert asked == ["gpt-5", "gpt-5", "gpt-5", "gpt-4o", "claude-opus-4-8"]


def test_nobody_listens() -> None:
    with serving() as server:
        url = server.url
    settings = EndpointSettings(base_url=url, api_key_env="", attempts=2)
    with pytest.raises(ModelError) as caught:
        OpenAIBackend(settings, {}, sleep=lambda _: None).complete(ask())
    assert caught.value.sentence == (
        f"{url}: the model did not answer the call for code.1/write/pkg/a.py: "
        "gpt-5: the connection failed: [Errno 111] Connection refused "
        "(resume the run once it does)"
    )


@pytest.mark.parametrize(
    ("body", "finish", "text"),
    [
        (completion("half", finish="length"), "length", "half"),
        (completion("half", finish="MAX_TOKENS"), "length", "half"),
        (completion("half", finish="who knows"), "length", "half"),
        (completion(None, refusal="I cannot."), "refusal", "I cannot."),
        (completion("I cannot.", finish="refusal"), "refusal", "I cannot."),
        (completion("", finish="content_filter"), "content_filter", ""),
        (completion(""), "stop", ""),
        (completion(None), "stop", ""),
        (completion("ok", finish=None), "stop", "ok"),
        (completion("<think>\nhm\n</think>\n\nok"), "stop", "ok"),
        (completion("a\ud800b"), "stop", "a?b"),
    ],
)
def test_the_finish_reason_is_looked_at(body: dict[str, Any], finish: str, text: str) -> None:
    with serving(answers(body)) as server:
        reply = backend(server).complete(ask())
    assert (reply.finish_reason, reply.text) == (finish, text)


def test_content_in_parts_is_joined() -> None:
    body = completion()
    body["choices"][0]["message"]["content"] = [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]
    with serving(answers(body)) as server:
        assert backend(server).complete(ask()).text == "ab"


@pytest.mark.parametrize(
    "turn",
    [
        answers(completion("half", finish="insufficient_system_resource")),
        answers({"error": {"code": 502, "message": "upstream"}}),
        answers({"choices": []}),
        answers({"choices": [None]}),
        answers("[1, 2]"),
    ],
)
def test_errors_that_come_as_success_are_tried_again(turn: Turn) -> None:
    with serving(turn) as server:
        assert backend(server).complete(ask()).text == "hello"
        assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {**USAGE, "prompt_tokens_details": {"cached_tokens": 60}},
            Usage(input=40, cache_read=60, output=20),
        ),
        (
            {
                **USAGE,
                "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
            },
            Usage(input=10, cache_read=60, cache_write=30, output=20),
        ),
        (
            {**USAGE, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36},
            Usage(input=36, cache_read=64, output=20),
        ),
        (
            {**USAGE, "cache_creation_input_tokens": 50, "cache_read_input_tokens": 30},
            Usage(input=20, cache_read=30, cache_write=50, output=20),
        ),
        (
            {
                "input_tokens": 5,
                "output_tokens": 7,
                "cache_creation_input_tokens": 50,
                "cache_read_input_tokens": 30,
            },
            Usage(input=5, cache_read=30, cache_write=50, output=7),
        ),
        (
            {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 520},
            Usage(input=100, output=420),
        ),
        ({"prompt_tokens": "many", "completion_tokens": 20.0}, Usage(output=20)),
        ({"prompt_tokens": 7, "completion_tokens": float("nan")}, Usage(input=7)),
    ],
)
def test_usage_is_understood_in_every_common_shape(usage: dict[str, Any], expected: Usage) -> None:
    with serving(answers(completion(usage=usage))) as server:
        assert backend(server).complete(ask()).usage == expected


def test_a_hostile_server_cannot_reach_the_terminal_or_break_the_record(tmp_path: Path) -> None:
    odd = completion("ok", model="x\ud800\x1b[2J" + "y" * 500, usage=USAGE)
    error = answers({"error": {"message": "\x1b[31mred\ud800\n@everyone"}}, 400)
    with serving(answers(odd), error) as server:
        model = recorded(backend(server), tmp_path)
        reply = model.complete(ask("a"))
        with pytest.raises(ModelError) as caught:
            model.complete(ask("b"))
    assert reply.model == "x??[2J" + "y" * 193 + "…"
    assert "the server answered 400: ?[31mred? @everyone" in caught.value.sentence
    assert len(recorded(backend(server), tmp_path).journal.records) == 2


def test_missing_usage_is_estimated() -> None:
    with serving(answers(completion("x" * 30))) as server:
        usage = backend(server).complete(ask()).usage
    assert usage == Usage(input=19, output=10, estimated=True)


def test_sixteen_calls_at_once_keep_their_replies_apart(tmp_path: Path) -> None:
    def echo(handler: Handler) -> None:
        text = handler.body["messages"][1]["content"].upper()
        answers(completion(text, usage=USAGE))(handler)

    with serving(always=echo) as server:
        model = recorded(backend(server), tmp_path)
        with ThreadPoolExecutor(16) as pool:
            requests = [ask(f"code.1/write/f{n}.py", f"file {n}") for n in range(48)]
            replies = list(pool.map(model.complete, requests))
    assert [reply.text for reply in replies] == [f"FILE {n}" for n in range(48)]
    assert len({record.call for record in model.journal.records}) == 48
    assert model.ledger.total.usage == Usage(input=4800, output=960)
    assert Ledger(tmp_path / "ledger.jsonl").entries == model.ledger.entries


def test_each_attempt_is_a_line_of_the_ledger(tmp_path: Path) -> None:
    with serving(fails(500, "boom"), drops, answers(completion(usage=USAGE))) as server:
        model = recorded(backend(server), tmp_path, UNLIMITED)
        model.complete(ask())
    outcomes = [(e.outcome, e.detail) for e in model.ledger.calls]
    assert outcomes[0] == ("failed", "the server answered 500: boom")
    assert outcomes[1][0] == "failed"
    assert outcomes[1][1].startswith("the connection failed: ")
    assert outcomes[2] == ("stop", "")
    refused, cut_off, answered = model.ledger.calls
    assert refused.usd == 0
    assert cut_off.usd > answered.usd > 0
    assert model.budget.spent.usd == model.ledger.total.usd
    assert model.budget.spent.calls == 3


def test_an_unreadable_response_is_kept(tmp_path: Path) -> None:
    with serving(answers("<html>what?</html>")) as server:
        model = recorded(backend(server, attempts=1), tmp_path)
        with pytest.raises(ModelError) as caught:
            model.complete(ask())
    assert "the response is not a chat completion; it begins <html>what?</html>" in str(
        caught.value
    )
    (record,) = model.journal.records
    assert record.raw == "<html>what?</html>"
    assert record.reply is None


def test_the_key_is_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    leak = answers(completion(f"your key is {KEY}"))
    masked = fails(401, "Incorrect API key provided: sk-test-*****-key.")
    with serving(echoes_key, leak, masked) as server:
        refused = backend(server)
        model = recorded(refused, tmp_path)
        with pytest.raises(ModelError) as first:
            model.complete(ask("a"))
        reply = model.complete(ask("b"))
        with pytest.raises(ModelError) as second:
            model.complete(ask("c"))
    assert reply.text == "your key is [key]"
    assert "bad request with Bearer [key]" in first.value.sentence
    assert "Incorrect API key provided: [key]" in second.value.sentence
    files = b"".join(model.journal.files().values()).decode()
    shown = files + caplog.text + repr(refused) + repr(first.value) + repr(model)
    assert "Bearer [key]" in files
    assert KEY not in shown
    assert "sk-test" not in shown


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        (
            {},
            "http://h/v1: the environment variable KEY holds no key (set it, or set "
            "endpoint.api_key_env to an empty text for a server without keys)",
        ),
        (
            {"KEY": "sk-\nInjected: 1"},
            "the key in KEY holds characters that no HTTP header may hold (copy it again)",
        ),
    ],
)
def test_a_key_that_cannot_work_is_said_at_once(environ: dict[str, str], sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        OpenAIBackend(EndpointSettings(base_url="http://u:p@h/v1", api_key_env="KEY"), environ)
    assert caught.value.sentence == sentence


def test_a_server_without_keys_needs_none() -> None:
    with serving() as server:
        settings = EndpointSettings(base_url=server.url, api_key_env="")
        assert OpenAIBackend(settings, {}).complete(ask()).text == "hello"


def test_a_response_without_end_is_cut() -> None:
    body = json.dumps(completion("x" * (17 * 1024 * 1024)))
    with serving(answers(body)) as server, pytest.raises(ModelError) as caught:
        backend(server).complete(ask())
    assert "the response is longer than 16 MiB" in caught.value.sentence
