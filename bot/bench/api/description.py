"""GitHub's OpenAPI description: its operations by method and path, its schemas as validators."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import jsonschema_rs

from bot.bench.api.dialect import translated

Json = dict[str, Any]

_METHODS = ("get", "post", "put", "patch", "delete")
_BASE = "urn:github"
_BY_ID = re.compile(r"^/repositories/\d+")
_LONGEST_SHOWN = 160
# An App's address holds brackets, as in 1+name[bot]@users.noreply.github.com.
_FORMATS = {"email": lambda text: text.count("@") == 1}


class Operation:
    """One method of one path. `id` is as GitHub's documentation names it, such as
    issues/create."""

    def __init__(self, description: "Description", method: str, path: str) -> None:
        self._description = description
        self.method, self.path = method.upper(), path
        self.pointer = f"/paths/{_escaped(path)}/{method}"
        self._told: Json = description.at(self.pointer)
        self.id: str = self._told["operationId"]

    @cached_property
    def parameters(self) -> Mapping[tuple[str, str], str]:
        """Pointers to the parameters, by place (path, query, header) and name."""
        found = {}
        for number in range(len(self._told.get("parameters", []))):
            pointer = self._description.followed(f"{self.pointer}/parameters/{number}")
            told = self._description.at(pointer)
            found[told["in"], told["name"]] = pointer
        return found

    @cached_property
    def body(self) -> str | None:
        """The pointer to the request's body; None where there is none."""
        return f"{self.pointer}/requestBody" if "requestBody" in self._told else None

    @cached_property
    def answers(self) -> Mapping[int, str]:
        """Pointers to the documented responses by their status."""
        return {
            int(status): self._description.followed(f"{self.pointer}/responses/{status}")
            for status in self._told["responses"]
            if status.isdecimal()
        }


class Description:
    """One published description, of github.com or of an Enterprise Server.
    https://docs.github.com/rest/about-the-rest-api/about-the-openapi-description-for-the-rest-api
    """

    def __init__(self, file: Path) -> None:
        self.name = file.stem
        told = json.loads(file.read_text("utf-8"))
        self._told: Json = translated(told) if told["openapi"].startswith("3.0") else told
        self._registry = jsonschema_rs.Registry([(_BASE, self._told)])
        self._validators: dict[str, jsonschema_rs.Draft202012Validator] = {}
        self._seen: dict[str, Any] = {}

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        paths: Json = self._told["paths"]
        return tuple(
            Operation(self, method, path)
            for path, item in paths.items()
            for method in _METHODS
            if method in item
        )

    @cached_property
    def _patterns(self) -> Mapping[str, list[tuple[re.Pattern[str], Operation]]]:
        """By method, the most special first."""
        found: dict[str, list[tuple[re.Pattern[str], Operation]]] = defaultdict(list)
        for operation in sorted(self.operations, key=lambda o: _rank(o.path)):
            found[operation.method].append((self._pattern(operation), operation))
        return found

    def _pattern(self, operation: Operation) -> re.Pattern[str]:
        def segment(match: re.Match[str]) -> str:
            pointer = operation.parameters.get(("path", match[1]))
            many = pointer is not None and self.at(pointer).get("x-multi-segment", False)
            return f"(?P<{match[1]}>{'.*' if many else '[^/]+'})"

        parts = re.split(r"(\{\w+\})", operation.path)
        made = (re.sub(r"\{(\w+)\}", segment, p) if p[:1] == "{" else re.escape(p) for p in parts)
        return re.compile("".join(made))

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """The operation that answers a path, and the values of its parameters. By its id, where
        redirects lead, a repository answers as by its name.
        https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
        """
        path = _BY_ID.sub("/repos/owner/name", path)
        for pattern, operation in self._patterns.get(method, ()):
            match = pattern.fullmatch(path)
            if match is not None:
                return operation, {k: unquote(v) for k, v in match.groupdict().items()}
        return None

    def delivery(self, event: str, action: str | None) -> str | None:
        """The pointer to the schema of a webhook's payload; None where there is no such event.
        https://docs.github.com/webhooks/webhook-events-and-payloads
        """
        name = "-".join(filter(None, (event, action))).replace("_", "-")
        if name not in self._told["webhooks"]:
            return None
        return f"/webhooks/{name}/post/requestBody/content/application~1json/schema"

    def at(self, pointer: str) -> Any:
        """What stands at a JSON pointer."""
        if pointer in self._seen:
            return self._seen[pointer]
        node: Any = self._told
        for step in pointer.split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            node = node[int(key)] if isinstance(node, list) else node[key]
        self._seen[pointer] = node
        return node

    def followed(self, pointer: str) -> str:
        """The pointer, or where it refers to."""
        node = self.at(pointer)
        while isinstance(node, dict) and "$ref" in node:
            pointer = node["$ref"].removeprefix("#")
            node = self.at(pointer)
        return pointer

    def faults(self, pointer: str, value: Any) -> list[str]:
        """What in a value is not as the schema at the pointer says; empty where all is."""
        known = self._validators.get(pointer)
        if known is None:
            schema = {"$ref": f"{_BASE}#{pointer}"}
            known = jsonschema_rs.Draft202012Validator(
                schema, registry=self._registry, validate_formats=True, formats=_FORMATS
            )
            self._validators[pointer] = known
        return [words for error in known.iter_errors(value) for words in _worded(error)]


def _worded(error: jsonschema_rs.ValidationError) -> list[str]:
    """The error in words; of alternatives, what is wrong with the one that fits best."""
    context = getattr(error.kind, "context", None)
    if context:
        return min((_of_branch(branch) for branch in context), key=_misfit)
    place = ".".join("[]" if isinstance(step, int) else step for step in error.instance_path)
    return [f"{place or 'the whole'}: {error.message[-_LONGEST_SHOWN:]}"]


def _of_branch(errors: list[jsonschema_rs.ValidationError]) -> list[str]:
    return [words for error in errors for words in _worded(error)]


def _misfit(told: list[str]) -> tuple[bool, int]:
    """Null is rarely what was meant."""
    return any(words.endswith('of type "null"') for words in told), len(told)


def _escaped(path: str) -> str:
    """A path as one step of a pointer within an address."""
    return quote(path.replace("~", "~0").replace("/", "~1"), safe="~")


def _rank(path: str) -> tuple[int, ...]:
    """Longer paths first, as a parameter may hold slashes; then literal segments before named."""
    return (-path.count("/"), *(int(s.startswith("{")) for s in path.split("/")))
