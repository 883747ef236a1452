"""One repository on one GitHub, with one credential: what the adapters of both ports share."""

from typing import Any, TypeVar
from urllib.parse import urlsplit

from github.Repository import Repository

from bot.forge.github.credentials import (
    AppKey,
    AppSignature,
    Call,
    Credentials,
    FixedToken,
    FreshAuth,
    InstallationToken,
    TokenSource,
)
from bot.forge.github.errors import Moved, Refused
from bot.forge.github.pace import OF_THE_APP, Clock, Pacer, TheirTime
from bot.forge.github.promises import held_to_promises
from bot.forge.github.refusals import gone
from bot.forge.github.transport import Renewal, Transport, TransportSettings
from bot.forge.github.watch import Watch, account_of
from bot.outgoing import is_of_api
from bot.ports.forge import ForgeError
from bot.ports.meter import Meter, Unmetered
from bot.ports.writes import WriteBook, WriteLimits
from bot.redaction import Redactor

T = TypeVar("T")


class GitHubSettings(TransportSettings):
    """`repository` is OWNER/NAME. `seconds_between_writes` may be 0 on a GitHub without rate
    limits. `attachment_hosts` are the hosts, with all below them, that may serve attachments
    besides the forge's own: where github.com keeps them. `settle_seconds` is how long an unclear
    write is given to appear, doubled at each look."""

    repository: str
    seconds_between_writes: float = 1.0
    writes_per_minute: int = 80
    writes_per_hour: int = 500
    settle_seconds: float = 2.0
    attachment_hosts: tuple[str, ...] = (
        "githubusercontent.com",
        "github-production-repository-file-5c1aeb.s3.amazonaws.com",
    )

    @property
    def limits(self) -> WriteLimits:
        return WriteLimits(
            gap=self.seconds_between_writes,
            per_minute=self.writes_per_minute,
            per_hour=self.writes_per_hour,
        )


def pacer_for(
    settings: GitHubSettings, clock: Clock | None = None, book: WriteBook | None = None
) -> Pacer:
    """A pacer of these settings, to be shared by all clients that use one credential; `book` is
    where other processes count theirs too."""
    return Pacer(settings.limits, clock=clock, book=book)


@held_to_promises
class GitHubClient:
    """Also the git store's Remote: it knows the clone URL and a token that is valid now."""

    def __init__(
        self,
        settings: GitHubSettings,
        credentials: Credentials,
        *,
        pacer: Pacer | None = None,
        clock: Clock | None = None,
        redactor: Redactor | None = None,
        meter: Meter | None = None,
    ) -> None:
        """`redactor` knows what else must not be shown besides the credential; without a `meter`
        nothing is counted."""
        _check(settings)
        self.settings = settings
        self.clock = clock or Clock()
        self.pacer = pacer or pacer_for(settings, self.clock)
        self._time = TheirTime(self.clock)
        self._watch = Watch(meter or Unmetered(), account_of(credentials))
        self.source = self._source(credentials)
        more = redactor or Redactor()
        self.redactor = Redactor(lambda: (*more.secrets(), *self.source.secrets()))
        auth = FreshAuth(self.source.token)
        self.transport = Transport(
            auth,
            settings,
            pacer=self.pacer,
            clock=self.clock,
            redactor=self.redactor,
            time=self._time,
            renewal=renewal_of(self.source) if isinstance(credentials, AppKey) else None,
            watch=self._watch,
        )
        self._repository: Repository | None = None

    @property
    def repository(self) -> Repository:
        """The repository as last seen; its own URL, so that a former name is no detour."""
        if self._repository is None:
            path = f"/repos/{self.settings.repository}"
            self._repository = self._look(path)
        return self._repository

    def _look(self, url: str) -> Repository:
        try:
            return Repository(self.transport, url=url)
        except Refused as refusal:
            raise gone(refusal) from None

    def look_again(self) -> Repository:
        """The repository as it is now: renamed, no longer empty, with another default branch."""
        before = self._repository
        if before is None:
            return self.repository
        now = self._look(before.url)
        if now.id != before.id:
            raise Moved(
                "The repository was renamed, and another one took its name",
                where=now.full_name,
                hint="trigger the run again under the new name",
            )
        self._repository = now
        return now

    def is_me(self, login: str) -> bool:
        return login.lower() == self.source.login().lower()

    def get(self, url: str, **parameters: Any) -> Any:
        """The decoded answer of one GET."""
        return self.transport.requestJsonAndCheck("GET", url, parameters=parameters)[1]

    def address(self, *, again: bool = False) -> str:
        repository = self.look_again() if again else self.repository
        address = str(repository.clone_url)
        if urlsplit(address).scheme in ("http", "https") and not is_of_api(
            address, self.settings.api_url
        ):
            raise ForgeError(
                f"The API gives a clone address of another host ({urlsplit(address).hostname})",
                where=self.settings.repository,
                hint="the token is given to the configured GitHub alone",
            )
        return address

    def token(self) -> str:
        return self.source.token()

    def renew(self, token: str) -> bool:
        return self.source.renew(token)

    def _source(self, credentials: Credentials) -> TokenSource:
        if isinstance(credentials, AppKey):
            app = app_transport(self.settings, credentials, self.clock, self._time, self._watch)
            return InstallationToken(credentials, _asking(app), self._time)
        return FixedToken(credentials, self._viewer)

    def _viewer(self) -> str:
        """Whose the token is; REST would not tell an installation's.
        https://docs.github.com/en/graphql/reference/queries#user
        """
        answer = self.transport.graphql_query("query { viewer { login } }", {})[1]
        return str(answer["data"]["viewer"]["login"])


def renewal_of(source: TokenSource) -> Renewal:
    """A token that GitHub does not accept is made anew, once for each request."""
    advice = "a fresh token was refused too; see whether the App is still installed here"
    return Renewal(source.renew, advice)


def app_transport(
    settings: TransportSettings,
    key: AppKey,
    clock: Clock,
    time: TheirTime,
    watch: Watch | None = None,
) -> Transport:
    """Requests as the App itself. They have a quota of their own, and create nothing that anybody
    sees."""
    signature = AppSignature(key, time)
    secret = key.private_key.get_secret_value()
    return Transport(
        signature,
        settings,
        pacer=Pacer(OF_THE_APP, clock=clock),
        clock=clock,
        redactor=Redactor(lambda: (secret,)),
        time=time,
        renewal=Renewal(signature.renew, "check the App's id, its private key and the clock"),
        watch=watch.as_app() if watch else None,
    )


def _asking(transport: Transport) -> Call:
    return lambda verb, path: transport.requestJsonAndCheck(verb, path)[1]


def _check(settings: GitHubSettings) -> None:
    parts = urlsplit(settings.api_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise ForgeError(
            "The base URL of the GitHub API is not usable",
            hint="it looks like https://HOST/api/v3 and holds no credentials",
        )
    owner, slash, name = settings.repository.partition("/")
    if not (owner and slash and name) or "/" in name:
        raise ForgeError(
            f"{settings.repository[:100]!r} is not a repository", hint="write it as OWNER/NAME"
        )
