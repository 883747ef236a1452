"""YAML of a model's reply: plain values alone, so that a short text stays a small value."""

import yaml
from yaml.events import AliasEvent, NodeEvent
from yaml.nodes import Node


class _PlainLoader(yaml.SafeLoader):
    """Aliases make much of little (the billion laughs), and tags reach constructors that fail in
    their own ways on what does not fit them."""

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        event: object = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, AliasEvent):
            raise _refused("aliases (`*name`) are not allowed", event)
        if isinstance(event, NodeEvent) and getattr(event, "tag", None) is not None:
            raise _refused("tags (`!name`) are not allowed", event)
        node: Node | None = super().compose_node(parent, index)
        return node


def _refused(problem: str, event: NodeEvent) -> yaml.MarkedYAMLError:
    mark = event.start_mark
    return yaml.MarkedYAMLError(
        problem=problem, problem_mark=mark if isinstance(mark, yaml.Mark) else None
    )


def plain_yaml(text: str) -> object:
    """The value; raise yaml.YAMLError, ValueError or RecursionError where there is none."""
    return yaml.load(text, Loader=_PlainLoader)  # noqa: S506 (a SafeLoader that takes less)
