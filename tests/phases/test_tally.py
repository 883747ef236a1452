"""What a run has written, and what one that is begun anew goes on with."""

from bot.config import CeilingSettings
from bot.phases.tally import Over, Tally

NOON = 1_800_000_000


def test_a_run_begun_anew_goes_on_with_the_last_hour_and_not_with_the_total() -> None:
    before = Tally(total=900, rounds=3).with_calls(10, NOON).with_calls(60, NOON + 60)
    for minute in range(12):
        before = before.with_write("comment", f"Round {minute}", NOON + 60 * minute)
    after = before.carried().with_calls(0, NOON + 800)
    assert (after.total, after.rounds) == (0, 0)
    assert after.spent(0, CeilingSettings(calls_an_hour=51)) is None
    asked = after.with_calls(5, NOON + 900)
    assert asked.spent(0, CeilingSettings(calls_an_hour=55)) == Over("calls_an_hour", 55, 55)
    again = after.with_write("comment", "Round 77", NOON + 800)
    assert again.over(CeilingSettings(equal_an_hour=12), NOON + 800) == Over(
        "equal_an_hour", 13, 12
    )
    later = NOON + 2 * 3600
    rested = after.with_write("comment", "Round 77", later).with_calls(5, later)
    assert rested.over(CeilingSettings(equal_an_hour=1), later) is None
    assert rested.spent(0, CeilingSettings(calls_an_hour=6)) is None
