"""Many threads may parse at once, and what has no tree is an error that callers know."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.syntax import literal, parse, parse_expression

SOURCE = "def f(a, b=1):\n    return {a: [b, (a, b)] for a in range(b)}\n" * 200


def test_many_threads_parse_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        trees = list(pool.map(parse, [SOURCE] * 64))
    assert {len(t.body) for t in trees} == {200}
    assert literal("(1, 'a')") == (1, "a")
    assert parse_expression("a + b").body is not None


@pytest.mark.parametrize("source", [f"x = {'-' * 20_000}1", f"x = {'(' * 300}1{')' * 300}"])
def test_what_nests_too_deep_has_no_tree(source: str) -> None:
    with pytest.raises((RecursionError, SyntaxError)):
        parse(source)
    with pytest.raises((RecursionError, SyntaxError)):
        parse_expression(source.removeprefix("x = "))
