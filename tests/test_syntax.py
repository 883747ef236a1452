"""Many threads may parse at once."""

from concurrent.futures import ThreadPoolExecutor

from bot.syntax import literal, parse, parse_expression

SOURCE = "def f(a, b=1):\n    return {a: [b, (a, b)] for a in range(b)}\n" * 200


def test_many_threads_parse_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        trees = list(pool.map(parse, [SOURCE] * 64))
    assert {len(t.body) for t in trees} == {200}
    assert literal("(1, 'a')") == (1, "a")
    assert parse_expression("a + b").body is not None
