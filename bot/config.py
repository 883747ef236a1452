"""Every setting, with its default and the mechanism or paper section it comes from."""

from typing import Literal

from pydantic import Field

from bot.base import Data

# Where the bot keeps what outlives a run, in the current folder.
DATA_FOLDER = "repowright-data"


class RoleSettings(Data):
    """Model and temperature of one agent role; a model of "" means the run's default model."""

    model: str = ""
    temperature: float = 0.0
    max_output: int = 16_000


class Roles(Data):
    """The agents. Temperature 0 everywhere, 0.8 for the one that suggests fixes (E, IV-D)."""

    architect: RoleSettings = RoleSettings()
    skeleton_writer: RoleSettings = RoleSettings()
    judge: RoleSettings = RoleSettings(max_output=4_000)
    coder: RoleSettings = RoleSettings()
    tester: RoleSettings = RoleSettings()
    fixer: RoleSettings = RoleSettings(temperature=0.8)


class Caps(Data):
    """Iterations per phase (E, IV-D): code has two caps, by size of the project in files. A run
    ends where nothing has moved for `no_progress_rounds`, 0 for never, and where so many rounds
    have cost more than `usd_per_test` dollars for each test that they gained; None means that a
    test is worth any price within the budget (M: stop where the expected gain is worth less than
    its cost)."""

    architecture: int = 3
    skeleton: int = 3
    code_small: int = 5
    code_large: int = 10
    large_from_files: int = 6
    reply_retries: int = 2
    no_progress_rounds: int = 3
    usd_per_test: float | None = None

    def code(self, files: int) -> int:
        return self.code_large if files >= self.large_from_files else self.code_small


class BudgetSettings(Data):
    """Hard limits of one run; None means no limit of that kind. `minutes` is wall-clock time."""

    usd: float | None = 5.0
    tokens: int | None = 2_000_000
    calls: int | None = 200
    minutes: float | None = 240.0


class EndpointSettings(Data):
    """The OpenAI-compatible server. The key itself never stands in settings: `api_key_env` names
    the environment variable that holds it, "" for a server without keys. Times in seconds, of
    one attempt (`seconds`, `connect_seconds`) and between attempts (`first_wait`,
    `longest_wait`). Both maps go by model name, with `*`: `accepts_as` to the model whose
    parameters it takes (a private deployment's name says nothing), `price_as` to a priced model
    or to `free`."""

    base_url: str = "https://api.openai.com/v1"
    api_key_env: str = "OPENAI_API_KEY"
    seconds: float = 600.0
    connect_seconds: float = 10.0
    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 120.0
    reasoning_effort: str = ""
    accepts_as: dict[str, str] = Field(default_factory=dict)
    price_as: dict[str, str] = Field(default_factory=dict)


class CheckSettings(Data):
    """How check tests are run; times in seconds, memory in MiB."""

    workflow: str = "repowright-check.yml"
    artifact: str = "repowright-report"
    test_seconds: int = 60
    total_seconds: int = 600
    memory: int = 2048
    wait_minutes: float = 30.0


class Switches(Data):
    """What can be turned off so that its worth can be measured. The first three are the paper's
    (E, IV-E): the judge's `tools`; `co_evolution`, the reconciliation of the state with the code;
    `experience`. The others are additions: `relations` that are predicted before there is code,
    `retrieval` of a context for each file instead of the whole skeleton, the static `gate`,
    `messages` of sequence diagrams as obligations, the `agenda` of repairs with its roots, the
    `ratchet` that keeps the best commit, and `bundles` of small files in one call."""

    tools: bool = True
    co_evolution: bool = True
    experience: bool = True
    relations: bool = True
    retrieval: bool = True
    gate: bool = True
    messages: bool = True
    agenda: bool = True
    ratchet: bool = True
    bundles: bool = True


class Settings(Data):
    """Settings of one run. A question holds at most `context_tokens` of documents and as many of
    code; what is retrieved for a file is at most `context_share` of the project (E takes 33.9 %).
    """

    model: str = "gpt-5"
    fallback_models: tuple[str, ...] = ()
    endpoint: EndpointSettings = EndpointSettings()
    roles: Roles = Roles()
    caps: Caps = Caps()
    budget: BudgetSettings = BudgetSettings()
    checks: CheckSettings = CheckSettings()
    switches: Switches = Switches()
    gates: tuple[Literal["architecture", "skeleton"], ...] = ()
    concurrency: int = 16
    context_tokens: int = 24_000
    context_share: float = 0.25
    label: str = "repowright"
    command: str = "/repowright"
    check_tests: str = "check_tests"
    protected: tuple[str, ...] = Field(
        default=(
            "conftest.py",
            "pytest.ini",
            ".pytest.ini",
            "tox.ini",
            "setup.cfg",
            ".coveragerc",
            "sitecustomize.py",
            "usercustomize.py",
        )
    )
    may_write_workflows: bool = True
