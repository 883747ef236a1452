"""An iteration becomes an experience that says what was done and names nothing of the project."""

from bot.experience.learn import effect_of, learned, lessons, stage_of
from bot.experience.names import leaks, names_in_code, names_of
from bot.experience.wording import is_plain, worded
from bot.ports.experience import Effect, Experience, Kind, Stage
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile

from .reports import failed, passed, report

BROKEN = {"pantry/__init__.py": "", "pantry/jars.py": "class Jar:\n    lid = 'on'\n"}
MENDED = {**BROKEN, "pantry/__init__.py": "from pantry.jars import Jar\n"}
DIFF = """diff --git a/pantry/__init__.py b/pantry/__init__.py
--- a/pantry/__init__.py
+++ b/pantry/__init__.py
@@ -0,0 +1 @@
+from pantry.jars import Jar
"""
RED = report(
    failed(
        "check_tests/test_jars.py",
        "ImportError",
        "cannot import name 'Jar' from 'pantry' (pantry/__init__.py)",
    ),
    *passed("check_tests/test_other.py::test_it"),
)
GREEN = report(*passed("check_tests/test_jars.py::test_lid", "check_tests/test_other.py::test_it"))


def _state(files: dict[str, str]) -> ProjectState:
    return reconcile(ProjectState(), change_of(files, files))[0]


def _learn(before: object = RED, after: object = GREEN, **more: object) -> Experience | None:
    return learned(_state(BROKEN), _state(MENDED), DIFF, (before, after), **more)  # type: ignore[arg-type]


def test_a_repair_that_helped_is_told_with_what_it_did() -> None:
    lesson = _learn(stage=Stage.LATE)
    assert lesson is not None
    assert (lesson.outcome, lesson.kind, lesson.stage) == (
        Effect.IMPROVED,
        Kind.SUCCESS,
        Stage.LATE,
    )
    assert lesson.family == "missing_reexport"
    assert "This helped: offering more at the front of a package" in lesson.strategy
    assert is_plain(lesson.scenario) and is_plain(lesson.strategy)


def test_a_repair_without_effect_and_a_harmful_one_are_failures() -> None:
    idle = _learn(RED, RED)
    harmful = _learn(RED, report(RED.tests[0], failed(RED.tests[1].id, "KeyError", "'a'")))
    assert idle is not None and harmful is not None
    assert (idle.outcome, idle.kind) == (Effect.NO_EFFECT, Kind.FAILURE)
    assert (harmful.outcome, harmful.kind) == (Effect.REGRESSED, Kind.FAILURE)
    assert len({idle.id, harmful.id, idle.advice, harmful.advice}) == 4


def test_nothing_is_learnt_where_nothing_failed_or_nothing_was_changed() -> None:
    assert _learn(GREEN, GREEN) is None
    assert lessons(_state(BROKEN), _state(BROKEN), "", (RED, RED)) == ()


def test_a_file_that_loads_again_is_a_gain_though_its_tests_fail() -> None:
    deeper = report(failed("check_tests/test_jars.py::test_lid", "KeyError", "'a'"), RED.tests[1])
    assert effect_of(RED, deeper) is Effect.IMPROVED
    assert effect_of(deeper, RED) is Effect.NO_EFFECT
    assert effect_of(GREEN, RED) is Effect.REGRESSED


def test_words_that_the_project_uses_as_names_are_exchanged() -> None:
    taken = ("name", "package", "front", "file", "public", "define", "value", "Re")
    lesson = _learn(project=taken)
    assert lesson is not None
    names = names_of((_state(MENDED),), (RED, GREEN), taken)
    texts = (lesson.scenario, lesson.strategy, " ".join(lesson.signal))
    assert [leaks(text, names) for text in texts] == [(), (), ()]


def test_an_experience_that_cannot_do_without_a_name_is_refused() -> None:
    assert _learn(project=("does",)) is None


def test_a_phraser_is_heard_only_while_it_names_nothing_and_writes_prose() -> None:
    assert (
        _phrased("Offer it at the entrance of the bundle.")
        == "Offer it at the entrance of the bundle."
    )
    for bad in (
        "Offer Jar there.",
        "Use `import x`.",
        "Call run(now).",
        "Ask @ann.",
        "See http://x",
    ):
        assert _phrased(bad) != bad


def _phrased(strategy: str) -> str:
    class Phraser:
        def phrase(self, experience: Experience) -> Experience:
            return experience.model_copy(update={"strategy": strategy})

    lesson = _learn(phraser=Phraser())
    assert lesson is not None
    return lesson.strategy


def test_names_are_found_as_words_and_paths_only() -> None:
    names = names_of((_state(MENDED),), (RED,), ["ann/pantry-shop"])
    assert leaks("the jars.py of pantry_shop, check_tests/test_jars.py", names) == (
        "check_tests",
        "check_tests/test_jars.py",
        "jars",
        "jars.py",
        "pantry_shop",
        "test_jars",
    )
    assert leaks("lids and jarring Jars", names) == ()
    assert worded("keep the lid on", names) is None
    assert worded("check every key. then go.", frozenset({"Every", "Then"})) == (
        "Check each key. then go."
    )


def test_names_inside_of_functions_are_found_in_code() -> None:
    source = "def f(a):\n    def inner(deep):\n        a.kept = 1\n    class Local: ...\n"
    assert names_in_code({"a.py": source, "b.py": "def (", "c.md": "def g(): ..."}) == {
        "f",
        "inner",
        "deep",
        "kept",
        "Local",
        *("a", "a.py", "b", "b.py"),
    }


def test_stages_are_thirds() -> None:
    assert [stage_of(n, 5) for n in (1, 2, 3, 4, 5)] == [
        Stage.EARLY,
        Stage.EARLY,
        Stage.MIDDLE,
        Stage.MIDDLE,
        Stage.LATE,
    ]
    assert stage_of(1, 1) is Stage.EARLY
    assert stage_of(9, 3) is Stage.LATE
