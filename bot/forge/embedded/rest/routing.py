"""How handlers say which address they answer and what access they need."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Handler = Callable[..., Any]
H = TypeVar("H", bound=Handler)


@dataclass(frozen=True)
class Route:
    """`access` is an area and a level such as "issues:read", checked against the repository of
    the address; empty where the handler checks. `content` routes count as content-creating."""

    method: str
    rule: str
    handler: Handler
    access: str = ""
    content: bool = False


class Routes:
    """The routes of one module, in the order of their definition."""

    def __init__(self) -> None:
        self.all: list[Route] = []

    def get(self, rule: str, access: str = "") -> Callable[[H], H]:
        return self._add("GET", rule, access, content=False)

    def post(self, rule: str, access: str = "", *, content: bool = False) -> Callable[[H], H]:
        return self._add("POST", rule, access, content=content)

    def patch(self, rule: str, access: str = "") -> Callable[[H], H]:
        return self._add("PATCH", rule, access, content=False)

    def put(self, rule: str, access: str = "", *, content: bool = False) -> Callable[[H], H]:
        return self._add("PUT", rule, access, content=content)

    def delete(self, rule: str, access: str = "") -> Callable[[H], H]:
        return self._add("DELETE", rule, access, content=False)

    def _add(self, method: str, rule: str, access: str, *, content: bool) -> Callable[[H], H]:
        def keep(handler: H) -> H:
            self.all.append(Route(method, rule, handler, access, content))
            return handler

        return keep
