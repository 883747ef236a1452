"""What a repository's own settings file does, and what is said of a wrong one."""

import pytest

from bot.config import Settings
from bot.repoconfig.ceiling import apply_file
from bot.repoconfig.yamlfile import Wrong

OPERATOR = Settings(repository_models=("gpt-5*", "claude-*"))


def refusals(text: str | bytes, operator: Settings = OPERATOR) -> list[tuple[int, str]]:
    content = text.encode() if isinstance(text, str) else text
    with pytest.raises(Wrong) as refused:
        apply_file(content, operator)
    return [(problem.line, problem.text) for problem in refused.value.problems]


def test_a_repository_chooses_within_the_operators_limits() -> None:
    text = """
# ours
model: gpt-5-mini
fallback_models: [claude-opus-4.8]
budget:
  usd: 2
  calls: 50
caps: {code_small: 2}
roles:
  fixer: {model: claude-opus-4.8, temperature: 0.3, max_output: 8000}
checks: {test_seconds: 10}
switches: {experience: false}
check_tests: tests/given
may_write_workflows: false
"""
    applied = apply_file(text.encode(), OPERATOR)
    settings = applied.settings
    assert (settings.model, settings.fallback_models) == ("gpt-5-mini", ("claude-opus-4.8",))
    assert (settings.budget.usd, settings.budget.calls) == (2.0, 50)
    assert settings.budget.tokens == OPERATOR.budget.tokens
    assert (settings.caps.code_small, settings.caps.code_large) == (2, 10)
    assert (settings.roles.fixer.model, settings.roles.fixer.temperature) == (
        "claude-opus-4.8",
        0.3,
    )
    assert settings.roles.coder == OPERATOR.roles.coder
    assert settings.checks.test_seconds == 10
    assert not settings.switches.experience
    assert settings.check_tests == "tests/given"
    assert not settings.may_write_workflows
    assert "budget.usd: 2" in applied.chosen
    assert "roles.fixer.temperature: 0.3" in applied.chosen
    assert len(applied.chosen) == 12


@pytest.mark.parametrize("text", ["", "# nothing\n", "budget:\n", "{}"])
def test_a_file_that_sets_nothing(text: str) -> None:
    applied = apply_file(text.encode(), OPERATOR)
    assert (applied.settings, applied.chosen) == (OPERATOR, ())


def test_gates_and_protected_names_are_added_to_the_operators() -> None:
    operator = Settings(gates=("architecture",))
    applied = apply_file(b"gates: [skeleton]\nprotected: [Makefile]\n", operator)
    assert applied.settings.gates == ("architecture", "skeleton")
    assert applied.settings.protected == (*operator.protected, "makefile")
    assert apply_file(b"gates: []\n", operator).settings.gates == ("architecture",)


def test_all_mistakes_are_told_each_with_its_line() -> None:
    text = "budget:\n  usd: fifty\n\n  calls: -1\ngates:\n  - architecture\n  - coffee\n"
    assert refusals(text) == [
        (2, '`budget.usd` is wrong: input should be a valid number; it is `"fifty"`'),
        (4, "`budget.calls` is wrong: input should be greater than or equal to 0; it is `-1`"),
        (
            7,
            "`gates.1` is wrong: input should be 'architecture' or 'skeleton'; it is `\"coffee\"`",
        ),
    ]


def test_an_unknown_name_is_told_with_what_is_allowed() -> None:
    assert refusals("model: gpt-5\nbudget:\n  usd: 1\n  dollars: 2\n") == [
        (
            4,
            "there is no setting `budget.dollars` here; "
            "allowed: `usd`, `tokens`, `calls`, `minutes`",
        )
    ]
    [(line, said)] = refusals("modell: gpt-5\n")
    assert line == 1
    assert said.startswith("there is no setting `modell` here; allowed: `model`, ")
    assert "endpoint" not in said


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("endpoint: {base_url: http://evil.example}", "endpoint.base_url"),
        ("endpoint: {api_key_env: GITHUB_TOKEN}", "endpoint.api_key_env"),
        ("endpoint: x", "endpoint"),
        ("endpoint: [x]", "endpoint"),
        ("repository_models: [x]", "repository_models"),
        ("command: /rm", "command"),
        ("label: bug", "label"),
        ("checks: {workflow: other.yml}", "checks.workflow"),
        ("caps: {no_progress_rounds: 0}", "caps.no_progress_rounds"),
    ],
)
def test_what_is_the_operators_alone(text: str, name: str) -> None:
    said = f"`{name}` belongs to those who run the server; a repository cannot set it"
    assert refusals(text) == [(1, said)]


@pytest.mark.parametrize("name", ["sandbox", "backend", "api_key", "private_key_path", "data"])
def test_what_no_run_has_as_a_setting(name: str) -> None:
    [(_, said)] = refusals(f"{name}: none")
    assert said.startswith(f"there is no setting `{name}` here")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("budget: {usd: 5.01}", "`budget.usd` is `5.01`, and the server allows `5.0` at most"),
        (
            "budget: {tokens: null}",
            "`budget.tokens` has no limit here, and the server allows `2000000` at most",
        ),
        ("caps: {code_small: 6}", "`caps.code_small` is `6`, and the server allows `5` at most"),
        ("concurrency: 17", "`concurrency` is `17`, and the server allows `16` at most"),
        (
            "roles: {coder: {max_output: 16001}}",
            "`roles.coder.max_output` is `16001`, and the server allows `16000` at most",
        ),
        (
            "model: o9",
            "`model` is `o9`, and the server allows these models only: `gpt-5*`, `claude-*`",
        ),
        (
            "fallback_models: [gpt-5, o9]",
            "`fallback_models` is `o9`, and the server allows these models only: "
            "`gpt-5*`, `claude-*`",
        ),
    ],
)
def test_what_is_more_than_the_operator_allows(text: str, said: str) -> None:
    assert refusals(text) == [(1, said)]


def test_what_the_operator_turned_off_stays_off() -> None:
    operator = Settings.model_validate(
        {"switches": {"experience": False}, "may_write_workflows": False}
    )
    assert refusals("switches: {experience: true}\nmay_write_workflows: true\n", operator) == [
        (
            1,
            "`switches.experience` is turned off by the server, and a repository cannot turn it on",
        ),
        (
            2,
            "`may_write_workflows` is turned off by the server, and a repository cannot turn it on",
        ),
    ]


def test_without_a_list_any_model_may_be_chosen_and_without_a_limit_any_budget() -> None:
    operator = Settings.model_validate({"budget": {"usd": None}})
    applied = apply_file(b"model: o9\nbudget: {usd: 900}\n", operator)
    assert (applied.settings.model, applied.settings.budget.usd) == ("o9", 900)


def test_the_operators_own_model_may_always_be_named() -> None:
    operator = Settings(model="house", repository_models=("guest",))
    assert apply_file(b"model: house\n", operator).settings.model == "house"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("model: gpt-5\nbudget: [", 2),
        ("- model\n", 1),
        ("model: gpt-5\nmodel: gpt-5\n", 2),
        ("budget: &b {usd: 1}\ncaps: *b\n", 2),
        ("x: " + "[" * 50, 1),
        ("{" * 5000, 1),
        ("model: 1\n", 1),
        ("model: !!python/object/apply:os.system [ls]\n", 1),
        ("model: gpt-5\n? [a, b]\n: 1\n", 2),
        (b"model: gpt-5\n# \xff\n", 2),
        (b"#" * 70_000, 1),
        ("budget: 5", 1),
        ("\n\nbudget: {usd: true}", 3),
        ("budget: {usd: .nan}", 1),
        ("budget: {usd: -.inf}", 1),
        ("budget: {calls: " + "9" * 5000 + "}", 1),
        ("roles: {fixer: {temperature: 2.5}}", 1),
        ("check_tests: ../outside", 1),
        ("check_tests: .github", 1),
        ("check_tests: ''", 1),
        ("protected: [a/b]", 1),
        ("model: ''\nbudget: {usd: 6}", 1),
        ("model: 2020-01-01 10:00:00", 1),
    ],
)
def test_what_is_no_settings_file(text: str | bytes, line: int) -> None:
    assert refusals(text)[0][0] == line


def test_what_is_told_stays_on_one_line_and_in_its_marks() -> None:
    [(_, said)] = refusals('"`@everyone`\\n\\n# Title": 1\n')
    assert "\n" not in said
    assert said.startswith("there is no setting `'@everyone' # Title` here")
