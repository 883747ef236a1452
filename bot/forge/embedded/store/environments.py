"""Environments of a repository, and which refs may deploy to them.

https://docs.github.com/actions/reference/workflows-and-actions/deployments-and-environments
"""

import re

from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.errors import Refused, not_found
from bot.forge.embedded.store.patterns import matches
from bot.forge.embedded.store.rows import BranchPolicy, Environment, Json, Repository

_NAME = re.compile(r"[^'\"`,;\\\x00-\x1f\x7f]{1,255}")
_CUSTOM = {"protected_branches": False, "custom_branch_policies": True}
_PROTECTED = {"protected_branches": True, "custom_branch_policies": False}


class Environments:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._tables = core.tables

    def put(self, repository: Repository, name: str, **settings: object) -> Environment:
        """Create one or set it anew; `settings` are columns of the row."""
        if not _NAME.fullmatch(name):
            raise Refused(422, "Invalid environment name")
        if settings.get("branch_policy") not in (None, {}, _CUSTOM, _PROTECTED):
            raise Refused(
                422, "protected_branches and custom_branch_policies cannot have the same value"
            )
        now = self._core.now()
        with self._core.transaction():
            found = self.find(repository, name)
            if found is not None:
                return self._tables.environments.update(found, **settings, updated_at=now)
            made = Environment.model_validate(
                {
                    "repository_id": repository.id,
                    "name": name,
                    "created_at": now,
                    "updated_at": now,
                    **settings,
                }
            )
            return self._tables.environments.insert(made)

    def find(self, repository: Repository, name: str) -> Environment | None:
        """Names are the same in large and small letters."""
        return next((e for e in self.of(repository) if e.name.lower() == name.lower()), None)

    def get(self, repository: Repository, name: str) -> Environment:
        found = self.find(repository, name)
        if found is None:
            raise not_found()
        return found

    def of(self, repository: Repository) -> list[Environment]:
        return self._tables.environments.find(repository_id=repository.id)

    def delete(self, environment: Environment) -> None:
        """With its policies, secrets and variables."""
        with self._core.transaction():
            for table in (
                self._tables.branch_policies,
                self._tables.secrets,
                self._tables.variables,
            ):
                table.delete(environment_id=environment.id)
            self._tables.environments.delete(id=environment.id)

    def policies(self, environment: Environment) -> list[BranchPolicy]:
        return self._tables.branch_policies.find(environment_id=environment.id)

    def policy(self, environment: Environment, identity: int) -> BranchPolicy:
        found = self._tables.branch_policies.one(id=identity, environment_id=environment.id)
        if found is None:
            raise not_found()
        return found

    def add_policy(self, environment: Environment, name: str, kind: str) -> BranchPolicy:
        """https://docs.github.com/rest/deployments/branch-policies#create-a-deployment-branch-policy"""
        if environment.branch_policy != _CUSTOM:
            raise not_found()
        if self._tables.branch_policies.one(environment_id=environment.id, kind=kind, name=name):
            raise Refused(303, "Already exists")
        made = {"environment_id": environment.id, "name": name, "kind": kind}
        return self._tables.branch_policies.insert(BranchPolicy.model_validate(made))

    def rename_policy(self, policy: BranchPolicy, name: str) -> BranchPolicy:
        return self._tables.branch_policies.update(policy, name=name)

    def delete_policy(self, policy: BranchPolicy) -> None:
        self._tables.branch_policies.delete(id=policy.id)

    def allows(self, repository: Repository, environment: Environment, ref: str) -> bool:
        """Whether a job of this full ref may use the environment."""
        policy: Json = environment.branch_policy
        if not policy:
            return True
        kind, _, name = ref.removeprefix("refs/").partition("/")
        if policy == _PROTECTED:
            rules = self._tables.protections.find(repository_id=repository.id)
            protected = [rule.branch for rule in rules]
            return kind == "heads" and (not protected or name in protected)
        wanted = {"heads": "branch", "tags": "tag"}.get(kind)
        patterns = [p.name for p in self.policies(environment) if p.kind == wanted]
        return any(matches(pattern, name) for pattern in patterns)
