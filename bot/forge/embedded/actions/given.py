"""What a run is given beside its token: the secrets and variables that its jobs may see."""

from collections.abc import Mapping

from bot.base import Data, RepowrightError
from bot.forge.embedded.actions.occasions import Source
from bot.forge.embedded.actions.plan import Plan
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.rows import Json, Repository, WorkflowRun

_BY_FORKS = ("pull_request", "pull_request_review", "pull_request_review_comment")


class Given(Data):
    secrets: Mapping[str, str] = {}
    variables: Mapping[str, str] = {}

    @property
    def hidden(self) -> tuple[str, ...]:
        """What logs must not show: each secret, and each line of one that has several."""
        lines = (part for value in self.secrets.values() for part in (value, *value.splitlines()))
        return tuple(dict.fromkeys(line for line in lines if line.strip()))


class Kept(Exception):
    """The environment's rules keep the run from it; the text is GitHub's."""


def given_to(
    store: Store, repository: Repository, run: WorkflowRun, source: Source, plan: Plan
) -> Given:
    """Raise Kept where the branch may not use the environment that the jobs name, and
    RepowrightError where they name different ones: act has one set of secrets for all jobs.
    https://docs.github.com/actions/how-tos/deploy/configure-and-manage-deployments/control-deployments
    """
    named = {job.environment for job in plan.jobs}
    if len(named) > 1:
        raise RepowrightError(
            "the jobs of one workflow name different environments, which this GitHub cannot keep "
            "apart",
            where=", ".join(sorted(name or "none" for name in named)),
            hint="put them into workflows of their own",
        )
    if is_of_fork(repository, run):
        return Given()
    name = next(iter(named), "")
    environment = store.environments.find(repository, name) if name else None
    if environment is not None and not store.environments.allows(
        repository, environment, source.ref
    ):
        kind, _, branch = source.ref.removeprefix("refs/").partition("/")
        raise Kept(
            f'{"Tag" if kind == "tags" else "Branch"} "{branch}" is not allowed to deploy to '
            f"{environment.name} due to environment protection rules."
        )
    return Given(
        secrets=store.vault.opened(repository, environment),
        variables=store.vault.values(repository, environment),
    )


def is_of_fork(repository: Repository, run: WorkflowRun) -> bool:
    """Whether a pull request of another repository started the run: it is given nothing, and its
    token may read alone.
    https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflows-in-forked-repositories
    """
    if run.event not in _BY_FORKS:
        return False
    head: Json = run.payload["event"].get("pull_request", {}).get("head", {})
    return (head.get("repo") or {}).get("full_name") != repository.full_name
