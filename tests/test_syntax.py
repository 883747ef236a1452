"""Many threads may parse at once, and what has no tree is an error that callers know."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.syntax import literal, parse, parse_expression, source_lines

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


def test_lines_are_counted_as_the_parser_counts_them() -> None:
    source = "a = 1\n\x0c\nb = '\u2028'\r\nc = 3\rd = 4"
    lines = source_lines(source)
    for stmt in parse(source).body:
        assert lines[stmt.lineno - 1].startswith(("a = 1", "b = ", "c = 3", "d = 4"))
    assert len(lines) == 5
