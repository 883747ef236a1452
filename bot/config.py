"""Every setting of a run, with its default, its bounds and the mechanism or paper section it comes
from. docs/configuration.md is made from this file."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from bot.base import Data

# Where the bot keeps what outlives a run, in the current folder.
DATA_FOLDER = "repowright-data"

Limit = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Minutes = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
Rounds = Annotated[int, Field(ge=1, le=1_000)]
ModelName = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x20]*$")]
Temperature = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]
Tokens = Annotated[int, Field(ge=1, le=10_000_000)]
Gate = Literal["architecture", "skeleton"]
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
PackageName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Folder = Annotated[str, Field(max_length=200, pattern=rf"^(\./)?{_PART}(/{_PART})*/?$")]
FileName = Annotated[str, StringConstraints(to_lower=True, pattern=r"^[^/\\\x00-\x1f]{1,200}$")]


class Repository(StrEnum):
    """What a repository's own file may do with a setting; one without such a mark is the
    operator's alone (bot/repoconfig holds to it)."""

    AT_MOST = "at_most"
    """Set it, to the operator's value at most."""
    TURN_OFF = "turn_off"
    """Turn it off, not on."""
    ADD = "add"
    """Add to the operator's."""
    LISTED = "listed"
    """Set it to a model that the operator allows."""
    CHOOSE = "choose"
    """Set it."""


Switch = Annotated[bool, Repository.TURN_OFF]


class Described(Data):
    """Settings: what stands below a field is its meaning in the reference."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class RoleSettings(Described):
    """One agent role."""

    model: Annotated[ModelName, Repository.LISTED] = ""
    """Model of this role; empty means the run's."""
    temperature: Annotated[Temperature, Repository.CHOOSE] = 0.0
    """Sampling temperature."""
    max_output: Annotated[Tokens, Repository.AT_MOST] = 16_000
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

    architecture: Annotated[Rounds, Repository.AT_MOST] = 3
    """Rounds of the architecture phase."""
    skeleton: Annotated[Rounds, Repository.AT_MOST] = 3
    """Rounds of the skeleton phase."""
    code_small: Annotated[Rounds, Repository.AT_MOST] = 5
    """Rounds of the code phase in small projects."""
    code_large: Annotated[Rounds, Repository.AT_MOST] = 10
    """Rounds of the code phase in large projects."""
    large_from_files: Rounds = 6
    """Number of files from which a project is large."""
    reply_retries: Annotated[int, Field(ge=0, le=10), Repository.AT_MOST] = 2
    """How often a reply that cannot be used is asked for again."""
    no_progress_rounds: Annotated[int, Field(ge=0, le=1_000)] = 3
    """The run ends where nothing has moved for so many rounds; 0 for never."""
    usd_per_test: Annotated[Limit | None, Repository.AT_MOST] = None
    """The run ends where so many rounds have cost more than this for each test that they gained;
    empty where a test is worth any price within the budget (M: stop where the expected gain is
    worth less than its cost)."""

    def code(self, files: int) -> int:
        return self.code_large if files >= self.large_from_files else self.code_small


class BudgetSettings(Described):
    """Hard limits of one run; empty means no limit of that kind."""

    usd: Annotated[Limit | None, Repository.AT_MOST] = 5.0
    """Dollars for model calls."""
    tokens: Annotated[Count | None, Repository.AT_MOST] = 2_000_000
    """Tokens of all model calls."""
    calls: Annotated[Count | None, Repository.AT_MOST] = 200
    """Number of model calls."""
    minutes: Annotated[Limit | None, Repository.AT_MOST] = 240.0
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
    test_seconds: Annotated[int, Field(ge=1, le=86_400), Repository.AT_MOST] = 60
    """Longest time of one test."""
    total_seconds: Annotated[int, Field(ge=1, le=86_400), Repository.AT_MOST] = 600
    """Longest time of all tests."""
    memory: Annotated[int, Field(ge=64, le=1_048_576), Repository.AT_MOST] = 2048
    """Memory of the tests in MiB."""
    settings: Annotated[Literal["tests", "project"], Repository.CHOOSE] = "tests"
    """Whose pytest settings count: those beside the tests, or all of the project's but `addopts`,
    with its `conftest.py` and `src` folder."""
    extras: Annotated[tuple[PackageName, ...], Repository.CHOOSE] = ()
    """Extras and dependency groups of `pyproject.toml` that are installed for the tests."""
    wait_minutes: Annotated[Minutes, Repository.AT_MOST] = 30.0
    """How long a run waits for its check workflow to end."""
    start_minutes: Annotated[Minutes, Repository.AT_MOST] = 10.0
    """How long a run waits for its check workflow to begin, where the branch has it."""
    dispatch_seconds: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 90.0
    """Time after a push when a check workflow that has not begun is started by the bot."""


class DependencySettings(Described):
    """Packages that an agent may ask for."""

    allow: Annotated[tuple[PackageName, ...], Repository.CHOOSE] = ()
    """Packages that an agent may add although neither the spec nor the shipped list names them."""


class CeilingSettings(Described):
    """Limits on what a run does, far above what one needs that goes well: they stop loops that no
    other rule foresaw. A run that reaches one waits for a person, who gives it as much again."""

    writes: Annotated[Count, Repository.AT_MOST] = 1_000
    """Comments, edits, reviews, commits and other writes of a run."""
    writes_an_hour: Annotated[Count, Repository.AT_MOST] = 300
    """Writes of a run within an hour."""
    comments_an_hour: Annotated[Count, Repository.AT_MOST] = 60
    """New comments and reviews of a run within an hour."""
    equal_an_hour: Annotated[Count, Repository.AT_MOST] = 12
    """New comments and reviews within an hour that differ in numbers alone."""
    rounds: Annotated[Count, Repository.AT_MOST] = 40
    """Rounds of one pull request, over all retries."""
    calls_an_hour: Annotated[Count, Repository.AT_MOST] = 400
    """Model calls of a run within an hour."""
    starts_of_repository: Count = 50
    """Runs that start in a repository within a day."""
    starts_of_person: Count = 20
    """Runs that one person starts within a day, in all repositories."""


class Switches(Described):
    """What can be turned off so that its worth can be measured. The first three are the paper's
    (E, IV-E), the others are additions."""

    tools: Switch = True
    """The judge's tools."""
    co_evolution: Switch = True
    """Reconciliation of the state with the code."""
    experience: Switch = True
    """Learning from rounds, and advice from what was learnt."""
    relations: Switch = True
    """Relations that are predicted before there is code."""
    retrieval: Switch = True
    """A context for each file instead of the whole skeleton."""
    gate: Switch = True
    """The static gate before each push."""
    messages: Switch = True
    """Messages of sequence diagrams as obligations."""
    agenda: Switch = True
    """The agenda of repairs with its roots."""
    ratchet: Switch = True
    """Keeping the best commit."""
    bundles: Switch = True
    """Small files in one call."""


class Settings(Described):
    """Settings of one run."""

    model: Annotated[ModelName, Field(min_length=1), Repository.LISTED] = "gpt-5"
    """Model of all roles that name none."""
    fallback_models: Annotated[tuple[ModelName, ...], Repository.LISTED] = ()
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
    dependencies: DependencySettings = DependencySettings()
    ceilings: CeilingSettings = CeilingSettings()
    """Where a run is stopped that does too much."""
    switches: Switches = Switches()
    """Parts that can be turned off."""
    gates: Annotated[tuple[Gate, ...], Repository.ADD] = ()
    """Phases after which the run waits for `/repowright approve`."""
    person_days: Annotated[float, Field(gt=0, le=3_650, allow_inf_nan=False)] = 30.0
    """How long a run waits for a person, at a gate or without its label, before it ends."""
    concurrency: Annotated[int, Field(ge=1, le=1_000), Repository.AT_MOST] = 16
    """Model calls at the same time."""
    context_tokens: Annotated[Tokens, Repository.AT_MOST] = 24_000
    """Tokens of documents that one question holds at most, and as many of code."""
    context_share: Annotated[float, Field(gt=0, le=1), Repository.AT_MOST] = 0.25
    """Share of the project that is retrieved for one file at most (E takes 33.9 %)."""
    label: Annotated[str, Field(min_length=1, max_length=50)] = "repowright"
    """Label that starts a run on an issue."""
    command: Annotated[str, Field(min_length=2, max_length=50, pattern=r"^/\S+$")] = "/repowright"
    """Word that commands in comments begin with."""
    check_tests: Annotated[Folder, Repository.CHOOSE] = "check_tests"
    """Folder of the check tests in the repository."""
    protected: Annotated[tuple[FileName, ...], Repository.ADD] = Field(
        default=(
            "conftest.py",
            "pytest.ini",
            ".pytest.ini",
            "pytest.toml",
            ".pytest.toml",
            "tox.ini",
            "setup.cfg",
            ".coveragerc",
            ".coveragerc.toml",
            "sitecustomize.py",
            "usercustomize.py",
        )
    )
    """File names that no agent may write."""
    may_write_workflows: Switch = True
    """Whether the bot adds the check workflow itself."""
