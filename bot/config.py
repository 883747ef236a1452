"""Every setting of a run, with its default, its bounds and the mechanism or paper section it comes
from. docs/configuration.md is made from this file."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from bot.base import Data

# Where the bot keeps what outlives a run, in the current folder.
DATA_FOLDER = "repowright-data"

Dollars = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Minutes = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
Rounds = Annotated[int, Field(ge=1, le=1_000)]
ModelName = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x20]*$")]
Temperature = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]
Tokens = Annotated[int, Field(ge=1, le=10_000_000)]
Gate = Literal["architecture", "skeleton"]


class Described(Data):
    """Settings: what stands below a field is its meaning in the reference."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class RoleSettings(Described):
    """One agent role."""

    model: ModelName = ""
    """Model of this role; empty means the run's."""
    temperature: Temperature = 0.0
    """Sampling temperature."""
    max_output: Tokens = 16_000
    """Tokens that one reply may have."""


class Roles(Described):
    """The agents. Temperature 0 everywhere, 0.8 for the one that suggests fixes (E, IV-D)."""

    architect: RoleSettings = RoleSettings()
    """Completes the structure where the documents leave it open."""
    skeleton_writer: RoleSettings = RoleSettings()
    """Settles signatures that the documents leave open."""
    judge: RoleSettings = RoleSettings(max_output=4_000)
    """Sums up what the tools found."""
    coder: RoleSettings = RoleSettings()
    """Writes the files."""
    tester: RoleSettings = RoleSettings()
    """Writes check tests where none are given."""
    fixer: RoleSettings = RoleSettings(temperature=0.8)
    """Repairs what fails."""


class Caps(Described):
    """Iterations per phase (E, IV-D): code has two caps, by size of the project."""

    architecture: Rounds = 3
    """Rounds of the architecture phase."""
    skeleton: Rounds = 3
    """Rounds of the skeleton phase."""
    code_small: Rounds = 5
    """Rounds of the code phase in small projects."""
    code_large: Rounds = 10
    """Rounds of the code phase in large projects."""
    large_from_files: Rounds = 6
    """Number of files from which a project is large."""
    reply_retries: Annotated[int, Field(ge=0, le=10)] = 2
    """How often a reply that cannot be used is asked for again."""
    no_progress_rounds: Annotated[int, Field(ge=0, le=1_000)] = 3
    """The run ends where nothing has moved for so many rounds; 0 for never."""
    usd_per_test: Dollars | None = None
    """The run ends where so many rounds have cost more than this for each test that they gained;
    empty where a test is worth any price within the budget (M: stop where the expected gain is
    worth less than its cost)."""

    def code(self, files: int) -> int:
        return self.code_large if files >= self.large_from_files else self.code_small


class BudgetSettings(Described):
    """Hard limits of one run; empty means no limit of that kind."""

    usd: Dollars | None = 5.0
    """Dollars for model calls."""
    tokens: Count | None = 2_000_000
    """Tokens of all model calls."""
    calls: Count | None = 200
    """Number of model calls."""
    minutes: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] | None = 240.0
    """Wall-clock minutes, without those in which the run waits for a person."""


class EndpointSettings(Described):
    """The OpenAI-compatible server."""

    base_url: str = "https://api.openai.com/v1"
    """Base of the server's API."""
    api_key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that holds the key (never the key itself); empty for a
    server without keys."""
    seconds: Seconds = 600.0
    """Longest time of one attempt."""
    connect_seconds: Seconds = 10.0
    """Longest time until a connection stands."""
    attempts: Annotated[int, Field(ge=1, le=100)] = 5
    """How often a call is tried."""
    first_wait: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 1.0
    """Seconds between the first two attempts; later waits are longer."""
    longest_wait: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 120.0
    """Longest wait between two attempts in seconds, whatever the server asks for."""
    reasoning_effort: str = ""
    """`reasoning_effort` of models that take it; empty for the server's default."""
    accepts_as: dict[str, str] = Field(default_factory=dict)
    """Model name, with `*`, to the model whose parameters it takes: a private deployment's name
    says nothing."""
    price_as: dict[str, str] = Field(default_factory=dict)
    """Model name, with `*`, to the model whose price it has, or to `free`."""


class CheckSettings(Described):
    """How check tests are run."""

    workflow: str = "repowright-check.yml"
    """File name of the check workflow in `.github/workflows`."""
    artifact: str = "repowright-report"
    """Name of the artifact with the report."""
    test_seconds: Annotated[int, Field(ge=1, le=86_400)] = 60
    """Longest time of one test."""
    total_seconds: Annotated[int, Field(ge=1, le=86_400)] = 600
    """Longest time of all tests."""
    memory: Annotated[int, Field(ge=64, le=1_048_576)] = 2048
    """Memory of the tests in MiB."""
    wait_minutes: Minutes = 30.0
    """How long a run waits for its check workflow."""


class Switches(Described):
    """What can be turned off so that its worth can be measured. The first three are the paper's
    (E, IV-E), the others are additions."""

    tools: bool = True
    """The judge's tools."""
    co_evolution: bool = True
    """Reconciliation of the state with the code."""
    experience: bool = True
    """Learning from rounds, and advice from what was learnt."""
    relations: bool = True
    """Relations that are predicted before there is code."""
    retrieval: bool = True
    """A context for each file instead of the whole skeleton."""
    gate: bool = True
    """The static gate before each push."""
    messages: bool = True
    """Messages of sequence diagrams as obligations."""
    agenda: bool = True
    """The agenda of repairs with its roots."""
    ratchet: bool = True
    """Keeping the best commit."""
    bundles: bool = True
    """Small files in one call."""


class Settings(Described):
    """Settings of one run."""

    model: ModelName = "gpt-5"
    """Model of all roles that name none."""
    fallback_models: tuple[ModelName, ...] = ()
    """Models to ask, in this order, where the first does not answer."""
    repository_models: tuple[str, ...] = ()
    """Models, with `*`, that a repository's `.github/repowright.yml` may choose; empty for any."""
    endpoint: EndpointSettings = EndpointSettings()
    """The model's server."""
    roles: Roles = Roles()
    """Model, temperature and length of replies of each agent."""
    caps: Caps = Caps()
    """Limits on rounds."""
    budget: BudgetSettings = BudgetSettings()
    """Limits on dollars, tokens, calls and minutes."""
    checks: CheckSettings = CheckSettings()
    """Check tests."""
    switches: Switches = Switches()
    """Parts that can be turned off."""
    gates: tuple[Gate, ...] = ()
    """Phases after which the run waits for `/repowright approve`."""
    concurrency: Annotated[int, Field(ge=1, le=1_000)] = 16
    """Model calls at the same time."""
    context_tokens: Tokens = 24_000
    """Tokens of documents that one question holds at most, and as many of code."""
    context_share: Annotated[float, Field(gt=0, le=1)] = 0.25
    """Share of the project that is retrieved for one file at most (E takes 33.9 %)."""
    label: Annotated[str, Field(min_length=1, max_length=50)] = "repowright"
    """Label that starts a run on an issue."""
    command: Annotated[str, Field(min_length=2, max_length=50, pattern=r"^/\S+$")] = "/repowright"
    """Word that commands in comments begin with."""
    check_tests: str = "check_tests"
    """Folder of the check tests in the repository."""
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
    """File names that no agent may write."""
    may_write_workflows: bool = True
    """Whether the bot adds the check workflow itself."""
