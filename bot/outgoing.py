"""Where requests may go: the configured GitHub and what it names, never into the machine's own
network because some address on an issue, or a redirect, leads there."""

import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

from bot.base import RepowrightError

Address = IPv4Address | IPv6Address

# https://www.rfc-editor.org/rfc/rfc6052#section-2.1
_NAT64 = ip_network("64:ff9b::/96")
# Where clouds hand out credentials to whatever asks from the machine itself; that of IPv4 is
# link-local. https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
_METADATA = frozenset({ip_address("fd00:ec2::254"), ip_address("100.100.100.200")})


class Unreachable(RepowrightError):
    """A request that is not sent, for where its host's name leads."""


def is_below(host: str, domain: str) -> bool:
    """Whether a host is the domain or belongs to it."""
    host, domain = host.lower().rstrip("."), domain.lower().rstrip(".")
    return bool(domain) and (host == domain or host.endswith(f".{domain}"))


def is_of_api(url: str, api_url: str) -> bool:
    """Whether an address is on the API's own host, or on the web host that belongs to it:
    `api.github.com` and `github.com`, `api.NAME.ghe.com` and `NAME.ghe.com`."""
    there, api = urlsplit(url), urlsplit(api_url)
    host = (api.hostname or "").lower()
    same_way = there.scheme == api.scheme and there.username is None
    return same_way and (there.hostname or "").lower() in (host, host.removeprefix("api."))


def public_address(host: str, port: int, *, private: bool = False) -> str:
    """The address that a name leads to, looked up once: what is checked is what is connected to,
    so that a name cannot lead elsewhere the second time. `private` allows networks that are not
    everybody's; the machine's own metadata is never allowed. Raise Unreachable."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unreachable("the host name is not known", where=host[:200]) from error
    addresses = [str(entry[4][0]) for entry in found]
    if not addresses or any(_is_barred(address, private=private) for address in addresses):
        raise Unreachable(
            "the host leads into a network that is not everybody's",
            where=host[:200],
            hint="attachments and archives are read from public hosts",
        )
    return addresses[0]


def leads_inside(host: str) -> bool:
    """Whether a host, such as the GitHub that is worked for, is in a private network itself."""
    try:
        public_address(host, 443)
    except Unreachable:
        return True
    return False


def _is_barred(text: str, *, private: bool) -> bool:
    address = _plain(ip_address(text.partition("%")[0]))
    never = address.is_link_local or address.is_multicast or address.is_unspecified
    return never or address in _METADATA or not (private or address.is_global)


def _plain(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one that only carries it."""
    if isinstance(address, IPv6Address):
        carried = address.ipv4_mapped or address.sixtofour
        if carried is None and address in _NAT64:
            carried = IPv4Address(int(address) & 0xFFFFFFFF)
        return carried or address
    return address


class GuardedAdapter(HTTPAdapter):
    """Connects for `requests` to addresses that `public_address` lets through. `private` says of
    a host whether it may be in a private network."""

    def __init__(self, private: Callable[[str], bool]) -> None:
        self._private = private
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        manager = PoolManager(
            num_pools=options.pop("connections", arguments[0] if arguments else 10),
            maxsize=options.pop("maxsize", arguments[1] if len(arguments) > 1 else 10),
            block=options.pop("block", False),
            **options,
        )
        manager.pool_classes_by_scheme = _guarded_pools(self._private)
        self.poolmanager = manager


def _guarded_pools(private: Callable[[str], bool]) -> dict[str, type[HTTPConnectionPool]]:
    def connect(connection: Any, connect_to_address: Callable[[], socket.socket]) -> socket.socket:
        name = connection._dns_host
        connection._dns_host = public_address(name, connection.port, private=private(name))
        try:
            return connect_to_address()
        finally:
            # The certificate is checked against the name.
            connection._dns_host = name

    class Plain(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return connect(self, super()._new_conn)

    class Secure(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            return connect(self, super()._new_conn)

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}
