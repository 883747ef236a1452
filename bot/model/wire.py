"""The shape of an OpenAI chat completion: the body we send, the reply we read.

https://platform.openai.com/docs/api-reference/chat
"""

import json
import math
import re
from typing import Any

from bot.model.attempt import AttemptFailed
from bot.model.estimate import estimated_usage
from bot.model.models import Family
from bot.ports.model import FinishReason, ModelReply, ModelRequest, Usage

_FINISH: dict[str | None, FinishReason] = {
    None: "stop",
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_calls": "stop",
    "function_call": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "refusal": "refusal",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "sensitive": "content_filter",
}
_CUT_OFF_BY_SERVER = ("error", "abort", "network_error", "insufficient_system_resource")
_THINKING = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)


def chat_body(request: ModelRequest, family: Family, effort: str = "") -> dict[str, Any]:
    """The JSON body of a chat completion, with only what the model's family accepts."""
    roles = {"system": family.system_role, "user": "user", "assistant": "assistant"}
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": roles[m.role], "content": m.content} for m in request.messages],
        family.output_field: output_limit(request, family),
    }
    if family.temperature:
        body["temperature"] = min(request.temperature, family.max_temperature)
    if request.json_object and family.json_mode:
        body["response_format"] = {"type": "json_object"}
    if effort and effort in family.reasoning_effort:
        body["reasoning_effort"] = effort
    return body


def output_limit(request: ModelRequest, family: Family) -> int:
    return min(request.max_output, family.max_output or request.max_output)


def read_completion(text: str, request: ModelRequest, seconds: float) -> ModelReply:
    """The reply in the body of a response.

    Raise AttemptFailed where the body is no chat completion, says error, or the server stopped
    in the middle. What cannot be read may have been billed.
    """
    answer = _object(text)
    if not answer.get("choices") and answer.get("error"):
        raise _error(answer["error"], text)
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise _unreadable(text)
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise _unreadable(text)
    reason = choice.get("finish_reason")
    if reason in _CUT_OFF_BY_SERVER:
        raise AttemptFailed(
            f"the server stopped in the middle of the reply ({reason})",
            retryable=True,
            billed=True,
            raw=text,
        )
    content, refusal = _text(message.get("content")), _text(message.get("refusal"))
    model = answer.get("model")
    return ModelReply(
        text=_THINKING.sub("", content, count=1) or refusal,
        finish_reason="refusal" if refusal else _finish(reason),
        usage=read_usage(answer.get("usage"), request, content),
        model=excerpt(model) if isinstance(model, str) and model else request.model,
        seconds=seconds,
    )


def read_usage(usage: object, request: ModelRequest, reply: str) -> Usage:
    """Token counts in any of the shapes that servers use; an estimate where there are none.

    OpenAI, and most others: `prompt_tokens` with `prompt_tokens_details.cached_tokens` (and
    `cache_write_tokens`) among them. DeepSeek: `prompt_cache_hit_tokens` among them. Anthropic:
    `cache_creation_input_tokens` and `cache_read_input_tokens`, beside `input_tokens` in its own
    shape and among `prompt_tokens` behind gateways. Where `total_tokens` says more than prompt
    and completion, the rest was reasoning and is billed as output (Gemini, xAI).
    """
    if not isinstance(usage, dict):
        return estimated_usage(request, reply)
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    read = max(
        _count(details, "cached_tokens"),
        _count(usage, "cache_read_input_tokens"),
        _count(usage, "prompt_cache_hit_tokens"),
    )
    written = max(
        _count(usage, "cache_creation_input_tokens"),
        _count(details, "cache_write_tokens"),
        _count(details, "cache_creation_tokens"),
    )
    output = max(_count(usage, "completion_tokens"), _count(usage, "output_tokens"))
    if "prompt_tokens" in usage:
        prompt = _count(usage, "prompt_tokens")
        output = max(output, _count(usage, "total_tokens") - prompt)
        fresh = prompt - read - written if prompt >= read + written else prompt
    else:
        fresh = _count(usage, "input_tokens")
    if fresh + read + written + output == 0:
        return estimated_usage(request, reply)
    return Usage(input=fresh, cache_read=read, cache_write=written, output=output)


def _object(text: str) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        raise _unreadable(text) from None
    if not isinstance(answer, dict):
        raise _unreadable(text)
    return answer


def _error(error: object, text: str) -> AttemptFailed:
    """An error in the body of a response whose status says success, as gateways send them."""
    code = error.get("code") if isinstance(error, dict) else None
    return AttemptFailed(
        f"the server answered with an error: {excerpt(error)}",
        retryable=isinstance(code, int) and may_be_repeated(code),
        raw=text,
    )


def may_be_repeated(status: int) -> bool:
    """HTTP status codes after which the same request may succeed later."""
    return status in (408, 409, 429) or status >= 500


def _unreadable(text: str) -> AttemptFailed:
    said = f"it begins {excerpt(text)}" if text.strip() else "it is empty"
    return AttemptFailed(
        f"the response is not a chat completion; {said}", retryable=True, billed=True, raw=text
    )


def _text(content: object) -> str:
    """Message content: a string, a list of parts, or nothing."""
    if isinstance(content, list):
        parts = [p.get("text") for p in content if isinstance(p, dict)]
        content = "".join(p for p in parts if isinstance(p, str))
    if not isinstance(content, str):
        return ""
    return content.encode("utf-8", "replace").decode()


def _finish(reason: object) -> FinishReason:
    """What is unknown counts as cut off, so that nobody takes half a reply for a whole one."""
    if reason is not None and not isinstance(reason, str):
        return "length"
    return _FINISH.get(reason.lower() if reason else None, "length")


def _count(usage: dict[str, Any], key: str) -> int:
    value = usage.get(key)
    if not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return max(int(value), 0)


def excerpt(value: object, limit: int = 200) -> str:
    """The beginning of a value on one line, for a message: only what can be shown safely."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text[: limit * 10].split())
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"
