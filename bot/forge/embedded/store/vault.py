"""Secrets and variables that workflows are given, of a repository or one of its environments.

https://docs.github.com/actions/reference/security/secrets
https://docs.github.com/actions/reference/workflows-and-actions/variables
"""

import base64
import re

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, SealedBox

from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.errors import Refused, conflict, not_found
from bot.forge.embedded.store.rows import Environment, Repository, Secret, Variable

_NAME = re.compile(r"(?!GITHUB_)[A-Z_][A-Z0-9_]*", re.IGNORECASE)
_LARGEST = 48 * 1024
_MOST_SECRETS, _MOST_VARIABLES = 100, 500


class Vault:
    """Secrets lie sealed for a key of this machine's; no answer and no page opens them. Names are
    kept in capital letters. Where an `environment` is None, the repository's own are meant."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._tables = core.tables
        path = core.file("vault", "key")
        if not path.exists():
            path.touch(mode=0o600)
            path.write_bytes(PrivateKey.generate().encode())
        self._key = PrivateKey(path.read_bytes())

    @property
    def public_key(self) -> str:
        """In base64: what a secret is sealed for before it is sent."""
        return base64.b64encode(self._key.public_key.encode()).decode()

    @property
    def key_id(self) -> str:
        return "568250167242549743"

    def secrets(self, repository: Repository, environment: Environment | None) -> list[Secret]:
        return self._tables.secrets.find(**_of(repository, environment))

    def secret(self, repository: Repository, environment: Environment | None, name: str) -> Secret:
        found = self._tables.secrets.one(**_of(repository, environment), name=name.upper())
        if found is None:
            raise not_found()
        return found

    def put_secret(
        self, repository: Repository, environment: Environment | None, name: str, sealed: str
    ) -> bool:
        """Keep a value that was sealed for the public key; return whether it is a new one."""
        _check(name, "Secret")
        value = self._opened(sealed)
        if value is None:
            raise Refused(422, "Improperly encrypted secret")
        if len(value) > _LARGEST:
            raise Refused(422, "Secret value is too large")
        where, now = _of(repository, environment), self._core.now()
        with self._core.transaction():
            found = self._tables.secrets.one(**where, name=name.upper())
            if found is not None:
                self._tables.secrets.update(found, sealed=sealed, updated_at=now)
                return False
            if self._tables.secrets.count(**where) >= _MOST_SECRETS:
                raise Refused(422, f"Only {_MOST_SECRETS} secrets are allowed")
            row = {"name": name.upper(), "sealed": sealed, "created_at": now, "updated_at": now}
            self._tables.secrets.insert(Secret.model_validate({**where, **row}))
            return True

    def delete_secret(self, secret: Secret) -> None:
        self._tables.secrets.delete(id=secret.id)

    def variables(self, repository: Repository, environment: Environment | None) -> list[Variable]:
        return self._tables.variables.find(**_of(repository, environment))

    def variable(
        self, repository: Repository, environment: Environment | None, name: str
    ) -> Variable:
        found = self._tables.variables.one(**_of(repository, environment), name=name.upper())
        if found is None:
            raise not_found()
        return found

    def create_variable(
        self, repository: Repository, environment: Environment | None, name: str, value: str
    ) -> Variable:
        _check(name, "Variable")
        _check_value(value)
        where, now = _of(repository, environment), self._core.now()
        with self._core.transaction():
            if self._tables.variables.one(**where, name=name.upper()) is not None:
                raise conflict("Already exists - Variable already exists")
            if self._tables.variables.count(**where) >= _MOST_VARIABLES:
                raise Refused(422, f"Only {_MOST_VARIABLES} variables are allowed")
            row = {"name": name.upper(), "value": value, "created_at": now, "updated_at": now}
            return self._tables.variables.insert(Variable.model_validate({**where, **row}))

    def change_variable(self, variable: Variable, name: str | None, value: str | None) -> None:
        if name is not None:
            _check(name, "Variable")
        if value is not None:
            _check_value(value)
        changes = {"name": name and name.upper(), "value": value}
        given = {key: change for key, change in changes.items() if change is not None}
        self._tables.variables.update(variable, **given, updated_at=self._core.now())

    def delete_variable(self, variable: Variable) -> None:
        self._tables.variables.delete(id=variable.id)

    def opened(self, repository: Repository, environment: Environment | None) -> dict[str, str]:
        """The secrets that a job finds: the environment's before the repository's."""
        kept = [self.secrets(repository, None)]
        kept += [self.secrets(repository, environment)] if environment is not None else []
        return {
            secret.name: (self._opened(secret.sealed) or b"").decode("utf-8", "replace")
            for secrets in kept
            for secret in secrets
        }

    def values(self, repository: Repository, environment: Environment | None) -> dict[str, str]:
        """The variables that a job finds: the environment's before the repository's."""
        kept = [*self.variables(repository, None)]
        kept += self.variables(repository, environment) if environment is not None else []
        return {variable.name: variable.value for variable in kept}

    def _opened(self, sealed: str) -> bytes | None:
        try:
            return SealedBox(self._key).decrypt(base64.b64decode(sealed, validate=True))
        except (ValueError, CryptoError):
            return None


def _of(repository: Repository, environment: Environment | None) -> dict[str, int]:
    return {
        "repository_id": repository.id,
        "environment_id": environment.id if environment is not None else 0,
    }


def _check(name: str, kind: str) -> None:
    if not _NAME.fullmatch(name):
        raise Refused(
            422,
            f"{kind} names can only contain alphanumeric characters ([a-z], [A-Z], [0-9]) or "
            "underscores (_). Spaces are not allowed. Must start with a letter ([a-z], [A-Z]) or "
            "underscores (_). Must not start with GITHUB_.",
        )


def _check_value(value: str) -> None:
    if len(value.encode()) > _LARGEST:
        raise Refused(422, "Variable value is too large")
