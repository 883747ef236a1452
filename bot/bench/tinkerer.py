"""A stand-in for a model that writes and mends the generated project, now well, now badly."""

import random
import re
from collections.abc import Iterator

from bot.bench.parts import FUNCTIONS, MODULES, Part, Way, mutated, part_of, path_of, source_of
from bot.ports.model import ModelRequest

_WEIGHTS = {
    "helps": 5,
    "trades": 2,
    "harms": 2,
    "hides": 1,
    "cheats": 1,
    "idles": 1,
    "repeats": 1,
    "refuses": 1,
}
_MODULES = {path_of(module): module for module in range(MODULES)}
_SHOWN = re.compile(r'^<file path="([^"]+)">\n(.*?)\n</file>$', re.DOTALL | re.MULTILINE)
_FIRST: tuple[Way, ...] = ("right", "right", "wrong", "wrong", "raises", "raises", "dies")


class Tinkerer:
    """The same answer to the same question of one seed, so that a killed run may ask again."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, request: ModelRequest) -> str:
        question = request.messages[1].content
        step = request.step.partition("#")[0]
        if request.role == "coder":
            return "".join(self._written(question))
        return self._repaired(question, step)

    def _written(self, question: str) -> Iterator[str]:
        named = re.search(r"^Your files?: (.*)$", question, re.MULTILINE)
        for path in re.findall(r"`([^`]+)`", named[1]) if named else ():
            module = _MODULES.get(path)
            text = '"""Sums."""\n' if module is None else source_of(module, self._first(module))
            yield _block(path, text)

    def _first(self, module: int) -> Part:
        rng = random.Random(f"{self._seed}:{module}")  # noqa: S311
        ways = tuple(rng.choice(_FIRST) for _ in range(1 + FUNCTIONS))
        return Part(ways=ways, shape="broken" if rng.random() < 0.3 else "whole")

    def _repaired(self, question: str, step: str) -> str:
        _, _, shown = question.partition("The files that you may change:")
        rng = random.Random(f"{self._seed}:{step}")  # noqa: S311
        mood = rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        if mood == "refuses":
            return "I cannot tell."
        if mood == "repeats":
            rng, mood = random.Random(self._seed), "harms"  # noqa: S311
        parts = [(path, part_of(text)) for path, text in _SHOWN.findall(shown)]
        blocks = [
            _block(path, source_of(_MODULES[path], mutated(part, mood, rng)))
            for path, part in parts
            if part is not None
        ]
        return f"Somebody who {mood}.\n\n" + "".join(blocks)


def _block(path: str, text: str) -> str:
    return f'<file path="{path}">\n{text}</file>\n'
