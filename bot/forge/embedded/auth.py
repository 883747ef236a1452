"""Who sends a request: tokens and App JWTs in the Authorization header."""

from datetime import datetime, timedelta

import jwt
from flask import Request

from bot.forge.embedded.store import Store
from bot.forge.embedded.store.access import ANONYMOUS, Actor
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import App

JWT_LIFE = timedelta(minutes=10)
_DRIFT = timedelta(seconds=60)
_DOCS = (
    "https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/"
    "generating-a-json-web-token-jwt-for-a-github-app"
)


def authenticate(request: Request, store: Store) -> Actor:
    """The actor behind `Authorization: token …`, `Bearer …` or Basic; 401 for bad credentials."""
    header = request.headers.get("Authorization", "")
    if not header:
        return ANONYMOUS
    if request.authorization is not None and request.authorization.type == "basic":
        given = request.authorization
        return store.tokens.actor(given.password or given.username or "")
    scheme, _, value = header.partition(" ")
    if scheme.lower() not in ("token", "bearer"):
        raise Refused(401, "Bad credentials")
    if value.count(".") == 2:
        return Actor(app=_app(store, value))
    return store.tokens.actor(value.strip())


def _app(store: Store, token: str) -> App:
    """The App that signed a JWT with RS256, at most ten minutes good by the store's clock."""
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
        app = store.apps.by_issuer(str(claims.get("iss", "")))
        if app is None or not app.public_key:
            raise Refused(404, "Integration not found", docs=_DOCS)
        jwt.decode(
            token,
            app.public_key,
            algorithms=["RS256"],
            options={"verify_exp": False, "verify_iat": False, "verify_aud": False},
        )
        _check_times(store.now(), int(claims["iat"]), int(claims["exp"]))
    except (jwt.InvalidTokenError, KeyError, ValueError, TypeError) as error:
        raise Refused(401, "A JSON web token could not be decoded", docs=_DOCS) from error
    return app


def _check_times(now: datetime, issued: int, expires: int) -> None:
    if issued > (now + _DRIFT).timestamp():
        raise Refused(401, "'Issued at' claim ('iat') must not lie in the future", docs=_DOCS)
    if expires <= now.timestamp():
        raise Refused(401, "'Expiration time' claim ('exp') must lie in the future", docs=_DOCS)
    if expires > (now + JWT_LIFE + _DRIFT).timestamp():
        message = "'Expiration time' claim ('exp') is too far in the future"
        raise Refused(401, message, docs=_DOCS)
