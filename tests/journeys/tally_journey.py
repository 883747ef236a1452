"""A tiny spec, a scripted model that first gets it wrong, and a box to run them in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from bot.agents.replies import apply_edits, parse_changes, parse_files
from bot.config import Settings
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import Issue, Repository
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import GivenToken
from bot.local import LocalBox, LocalRun
from bot.model.scripted import Answer, ScriptedModel
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.ports.forge import PullRequest
from bot.runs.start import find_run
from bot.spec.model import Spec
from bot.wiring import MAINTAINER, Hub, Workplace

TALLY = Path(__file__).parent / "specs" / "tally"

WRONG = """<file path="tally/counting.py">
\"\"\"Counts words.\"\"\"

from collections import Counter


def count(text: str) -> dict[str, int]:
    \"\"\"How often each word occurs.\"\"\"
    return dict(Counter(text.lower().split()))


def top(text: str, n: int = 3) -> list[str]:
    \"\"\"The most frequent words.\"\"\"
    if n < 0:
        raise ValueError("n must not be negative")
    return sorted(count(text), key=lambda w: -count(text)[w])[:n]
</file>"""

REPAIR = """Words keep their punctuation, and ties keep the order of the text.

<edit path="tally/counting.py">
<find>
    return dict(Counter(text.lower().split()))
</find>
<replace>
    words = (w.strip(string.punctuation) for w in text.lower().split())
    return dict(Counter(w for w in words if w))
</replace>
</edit>
<edit path="tally/counting.py">
<find>
key=lambda w: -count(text)[w])
</find>
<replace>
key=lambda w: (-count(text)[w], w))
</replace>
</edit>
<edit path="tally/counting.py">
<find>
from collections import Counter
</find>
<replace>
import string
from collections import Counter
</replace>
</edit>"""

COUNTING = "tally/counting.py"

# The repaired file, as a person would push it.
RIGHT = apply_edits(parse_files(WRONG, [COUNTING]), parse_changes(REPAIR).edits)[COUNTING]

REPLIES: dict[str, Answer] = {
    "code.1/write/tally/counting.py#1": WRONG,
    "code.2/repair#1": REPAIR,
}

# The same where a run was stopped and goes on, so that its rounds have other numbers.
LATER: dict[str, Answer] = {
    "code.*/write/tally/counting.py#1": WRONG,
    "code.*/repair#1": REPAIR,
}


class Diary:
    """A narrator that keeps what it hears."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def tell(self, state: RunState, text: str) -> None:
        self.lines.append(text)


@dataclass
class Journey:
    """One run in one folder, with its box open; `restart` is what a crash between two legs is:
    everything in memory is gone, only the folder is left."""

    out: Path
    settings: Settings = field(default_factory=lambda: Settings(model="claude-opus-4.8"))
    diary: Diary = field(default_factory=Diary)
    name: str = "tally"
    experience: str = ""

    def __post_init__(self) -> None:
        self.box = LocalBox(self.out)
        self.box.__enter__()

    def close(self) -> None:
        self.box.__exit__()

    def restart(self) -> None:
        self.close()
        self.__post_init__()

    def begin(self, files: Mapping[str, bytes]) -> LocalRun:
        return self.box.open_issue(files, self.name, self.settings, self.experience)

    def go(
        self, replies: Mapping[str, Answer], legs: int | None = None
    ) -> tuple[RunState, ScriptedModel, Services]:
        """Drive the run to its end, or for so many legs that move it."""
        model = ScriptedModel(replies)
        state, services = self.box.go(model, self.diary, wait=False, legs=legs)
        return state, model, services

    def say(self, text: str, author: str = "maintainer", number: int = 1) -> None:
        """A comment on the issue (1) or the pull request (2)."""
        store = self.box.github.store
        account = store.accounts.find(author) or store.accounts.create(author)
        store.issues.comment(self._repository, self._issue(number), Actor(account), text)

    def review(self, text: str) -> None:
        """The maintainer's review of the pull request, with nothing inline."""
        store = self.box.github.store
        pull = store.pulls.find(self._repository, 2)
        assert pull is not None
        person = Actor(store.accounts.by_login("maintainer"))
        store.reviews.create(self._repository, pull, person, event="COMMENT", body=text)

    def comments(self, number: int = 1) -> list[str]:
        """The bot's comments on the issue or the pull request."""
        store = self.box.github.store
        found = store.issues.comments(self._issue(number))
        return [c.body for c in found if store.accounts.get(c.author_id).kind == "Bot"]

    def push(self, branch: str, files: Mapping[str, str | None], message: str = "By hand") -> str:
        """A commit by the maintainer, through git like anybody's; None deletes."""
        store = self.box.github.store
        account = store.accounts.by_login("maintainer")
        token = GivenToken(token=SecretStr(store.tokens.create_personal(account)))
        url = GitHubSettings(
            api_url=self.box.github.api_url,
            repository=f"{self._repository.owner}/{self._repository.name}",
            seconds_between_writes=0.0,
            settle_seconds=0.2,
        )
        hub = Hub.open(Workplace(self.out / ".repowright" / "person"), url, token, MAINTAINER)
        hub.git.fetch()
        head = hub.git.head(branch)
        assert head is not None
        changes = {p: None if t is None else t.encode() for p, t in files.items()}
        mark = f"person:{head}"
        return hub.git.commit(branch, parent=head, changes=changes, message=message, mark=mark)

    def delete(self, branch: str) -> None:
        self.box.github.store.git(self._repository).delete_ref(f"refs/heads/{branch}")

    def protect(self, branch: str) -> None:
        """From now on the branch takes pull requests only."""
        rules = {"required_pull_request_reviews": {"required_approving_review_count": 1}}
        self.box.github.store.repositories.protect(self._repository, branch, rules)

    def pull_request(self) -> PullRequest:
        """The bot's pull request as the forge shows it."""
        return self.box.hub().forge.pull_request(2)

    def saved(self) -> RunState:
        """The run as its ref holds it."""
        found = find_run(1, self.box.hub().git)
        assert found is not None
        return found[0]

    def spec(self) -> Spec:
        """The spec as the run's ref holds it."""
        found = find_run(1, self.box.hub().git)
        assert found is not None
        return found[1]

    def close_issue(self) -> None:
        store = self.box.github.store
        maintainer = store.accounts.by_login("maintainer")
        store.issues.edit(self._repository, self._issue(1), Actor(maintainer), state="closed")

    def reviews(self) -> list[str]:
        return [r.body or "" for r in self.box.github.store.tables.reviews.find()]

    def subjects(self, branch: str) -> list[str]:
        """First lines of the branch's commits, the newest first."""
        git = self.box.github.store.git(self._repository)
        return [c.message.splitlines()[0] for c in git.log(branch)]

    def _issue(self, number: int) -> Issue:
        found = self.box.github.store.issues.find(self._repository, number)
        assert found is not None
        return found

    @property
    def _repository(self) -> Repository:
        return self.box.github.store.repositories.all()[0]
