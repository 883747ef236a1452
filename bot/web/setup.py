"""The set-up page: from a machine without credentials to a registered and installed GitHub App."""

from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Response, jsonify, redirect, render_template, request
from jinja2 import StrictUndefined
from werkzeug.wrappers import Response as AnyResponse

from bot.base import RepowrightError
from bot.setup.app import app_needs
from bot.setup.desk import Choice, Desk, Mistakes
from bot.setup.hook import HookReport
from bot.setup.place import is_loopback, web_of

COOKIE = "repowright_setup"
_LARGEST_FORM = 16 * 1024
_POLICY = (
    "default-src 'none'; style-src 'self'; form-action {}; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # Under `no-referrer` browsers post to GitHub with the origin `null`.
    "Referrer-Policy": "strict-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def create_setup_app(desk: Desk, look: Callable[[Desk], HookReport]) -> Flask:
    """The pages below /setup. `look` asks GitHub what became of the App's deliveries."""
    app = Flask("bot.web", static_folder=None, template_folder="templates/setup")
    app.config["MAX_CONTENT_LENGTH"] = _LARGEST_FORM
    app.jinja_options = {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    pages = _Pages(desk, look)
    app.add_url_rule("/", view_func=lambda: redirect("/setup", 303), endpoint="root")
    app.add_url_rule("/setup", view_func=pages.begin)
    app.add_url_rule("/setup", view_func=pages.check, methods=["POST"])
    app.add_url_rule("/setup/enter", view_func=pages.enter, methods=["POST"])
    app.add_url_rule("/setup/registered", view_func=pages.returned)
    app.add_url_rule("/setup/retry", view_func=pages.retry, methods=["POST"])
    app.add_url_rule("/setup/install", view_func=pages.install)
    app.add_url_rule("/setup/installed", view_func=pages.installed)
    app.add_url_rule("/setup/setup.css", view_func=_stylesheet)
    app.add_url_rule("/webhook", view_func=_not_yet, methods=["POST"])
    app.add_url_rule("/readyz", view_func=_not_yet, endpoint="ready")
    app.add_url_rule("/healthz", view_func=lambda: jsonify(status="alive"), endpoint="alive")

    @app.after_request
    def guarded(answer: Response) -> Response:
        for name, value in _HEADERS.items():
            answer.headers.setdefault(name, value)
        answer.headers.setdefault("Content-Security-Policy", _POLICY.format("'self'"))
        return answer

    return app


def beside(setup: WSGIApplication, server: WSGIApplication, desk: Desk) -> WSGIApplication:
    """The server, with the set-up page of the App that it goes on with still at /setup."""
    desk.live = True

    def both(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == "/setup" or path.startswith("/setup/"):
            return setup(environ, start)
        if path != "/webhook":
            return server(environ, start)

        def watched(status: str, *rest: Any) -> Any:
            if status.startswith("202"):
                desk.hear(environ.get("HTTP_X_GITHUB_EVENT", ""))
            return start(status, *rest)

        return server(environ, watched)

    return both


class _Pages:
    def __init__(self, desk: Desk, look: Callable[[Desk], HookReport]) -> None:
        self._desk = desk
        self._look = look

    def begin(self) -> AnyResponse:
        """The first page; with `?code=` the door."""
        if "code" in request.args:
            return self._enter(request.args["code"])
        if not self._admitted():
            return self._locked(200)
        if self._desk.app is not None:
            return redirect("/setup/install", 303)
        return self._form(self._first_values(), {}, 200)

    def enter(self) -> AnyResponse:
        return self._enter(request.form.get("code", "").strip())

    def check(self) -> AnyResponse:
        """What was chosen, to be sent to GitHub."""
        if refusal := self._refusal():
            return refusal
        try:
            choice = self._desk.choose(request.form)
        except Mistakes as mistakes:
            return self._form(request.form.to_dict(), mistakes.found, 422)
        return self._review(choice)

    def returned(self) -> AnyResponse:
        """Where GitHub leads back to."""
        if not self._admitted():
            return self._locked(403)
        if self._desk.app is not None:
            return redirect("/setup/install", 303)
        if not self._desk.door.returned(request.args.get("state", "")):
            problem = RepowrightError(
                "this is not the way back from the registration that was begun here last",
                hint="begin again; if an App was made, delete it in GitHub's settings",
            )
            return self._failed(problem, 403)
        return self._register(request.args.get("code", ""))

    def retry(self) -> AnyResponse:
        return self._refusal() or self._register("")

    def install(self) -> AnyResponse:
        """The App is there; its owner chooses repositories."""
        return self._after("install.html")

    def installed(self) -> AnyResponse:
        """Where GitHub leads back to after an installation."""
        return self._after("installed.html")

    def _after(self, template: str) -> AnyResponse:
        if not self._admitted():
            return self._locked(403)
        if self._desk.app is None:
            return redirect("/setup", 303)
        report = self._look(self._desk) if self._desk.live else HookReport()
        return self._page(template, app=self._desk.app, heard=self._desk.heard, report=report)

    def _register(self, code: str) -> AnyResponse:
        try:
            self._desk.register(code)
        except RepowrightError as error:
            return self._failed(error, 502)
        return redirect("/setup/install", 303)

    def _enter(self, code: str) -> AnyResponse:
        session = self._desk.door.enter(code)
        if not session:
            return self._locked(403, tried=True)
        answer = redirect("/setup", 303)
        answer.set_cookie(
            COOKIE, session, path="/setup", httponly=True, samesite="Lax", secure=request.is_secure
        )
        return answer

    def _admitted(self) -> bool:
        return self._desk.door.admits(request.cookies.get(COOKIE, ""))

    def _refusal(self) -> AnyResponse | None:
        """The answer to a form that is none of this session's."""
        if not self._admitted():
            return self._locked(403)
        if not self._desk.door.accepts(request.form.get("token", "")):
            problem = RepowrightError("this form is not valid any more", hint="begin again")
            return self._failed(problem, 403)
        return None

    # Pages

    def _first_values(self) -> dict[str, str]:
        fixed = web_of(self._desk.fixed) if self._desk.fixed else ""
        host = urlsplit(request.host_url).hostname or ""
        return {
            "where": "server" if fixed else "github",
            "base": fixed,
            "organisation": "",
            "name": self._desk.suggestion,
            "public": "" if is_loopback(host) else f"https://{request.host}",
        }

    def _form(self, values: dict[str, str], mistakes: dict[str, str], status: int) -> AnyResponse:
        return self._page(
            "form.html",
            status,
            values={**self._first_values(), **values},
            mistakes=mistakes,
            needs=app_needs(),
            fixed=bool(self._desk.fixed),
        )

    def _review(self, choice: Choice) -> AnyResponse:
        here = self._here(choice)
        answer = self._page(
            "review.html",
            choice=choice,
            manifest=self._desk.manifest(choice, here),
            action=choice.place.registration(choice.organisation),
            state=self._desk.door.new_state(),
            here=here,
        )
        policy = _POLICY.format(f"'self' {choice.place.web}")
        answer.headers["Content-Security-Policy"] = policy
        return answer

    def _here(self, choice: Choice) -> str:
        """A proxy that ends TLS hides the scheme; what GitHub sends back is secret."""
        if request.host == urlsplit(choice.public).netloc:
            return choice.public
        return request.host_url.rstrip("/")

    def _locked(self, status: int, *, tried: bool = False) -> AnyResponse:
        return self._page("locked.html", status, tried=tried, expired=self._desk.door.expired)

    def _failed(self, error: RepowrightError, status: int) -> AnyResponse:
        again = self._desk.may_retry and self._admitted()
        return self._page("failed.html", status, error=error, again=again)

    def _page(self, template: str, status: int = 200, **values: Any) -> AnyResponse:
        token = self._desk.door.form_token() if self._admitted() else ""
        html = render_template(template, token=token, **values)
        return Response(html, status, content_type="text/html; charset=utf-8")


def _stylesheet() -> Response:
    css = files("bot.web").joinpath("static", "setup.css").read_bytes()
    return Response(css, content_type="text/css; charset=utf-8")


def _not_yet() -> tuple[Response, int]:
    return jsonify(status="the server is being set up"), 503
