"""Experiences for the tests of this folder."""

from bot.experience.families import families, signal_of
from bot.ports.experience import Effect, Experience, Kind, Stage

from .reports import failed

LOST_NAME = failed("t/test_a.py::test_a", "NameError", "name 'lid' is not defined")
LOST_KEY = failed("t/test_a.py::test_b", "KeyError", "'lid'")
LOST_ATTRIBUTE = failed(
    "t/test_a.py::test_c", "AttributeError", "'Jar' object has no attribute 'a'"
)
FAILURES = {
    "undefined_name": LOST_NAME,
    "missing_key": LOST_KEY,
    "missing_attribute": LOST_ATTRIBUTE,
}


def lesson(family: str, strategy: str = "", outcome: Effect = Effect.IMPROVED) -> Experience:
    """What the family's failure of `FAILURES` teaches."""
    known = next(f for f in families() if f.name == family)
    return Experience(
        family=family,
        scenario=known.scenario,
        strategy=strategy or known.strategy,
        outcome=outcome,
        kind=Kind.SUCCESS if outcome is Effect.IMPROVED else Kind.FAILURE,
        stage=Stage.EARLY,
        signal=signal_of(FAILURES[family]),
    )
