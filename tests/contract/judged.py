"""Tests of the embedded GitHub, and of clients on it, whose exchanges are held against GitHub's
description besides, where that can be had (tests/contract says where it cannot)."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from bot.base import RepowrightError
from bot.bench.api.audit import audit, descriptions
from bot.bench.api.description import Description
from bot.bench.api.measure import record
from bot.forge.embedded.server import EmbeddedGitHub


@cache
def _described() -> tuple[Description, ...]:
    try:
        return descriptions()[:1]
    except RepowrightError:
        return ()


@contextmanager
def judged(github: EmbeddedGitHub, *, requests: bool = False) -> Iterator[None]:
    """`requests` also judges what is asked, where the bot alone asks."""
    described = _described()
    recorder = record(github)
    yield
    told = audit(recorder.exchanges, described, requests=requests)
    wrong = [f"{m.part} of {m.call}: {m.what}" for m in told.mismatches]
    assert not wrong, "\n".join(wrong)
