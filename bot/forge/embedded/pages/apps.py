"""GitHub Apps on the pages: registering one from a manifest, and installing it on repositories."""

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from flask import abort, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from bot.forge.embedded.pages.site import POLICY, Site
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.manifests import Manifest
from bot.forge.embedded.store.rows import Account, App, Repository
from bot.forge.embedded.webhooks import Webhooks


class AppPages:
    """For the maintainer alone, as what GitHub shows to whoever is signed in."""

    def __init__(self, site: Site, webhooks: Webhooks) -> None:
        self._site = site
        self._store = site.store
        self._webhooks = webhooks

    def new(self, login: str = "") -> AnyResponse:
        """The page that a manifest posted from elsewhere leads to; it changes nothing.
        https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
        """
        owner = self._owner(login)
        text = request.form.get("manifest", "")
        try:
            manifest = self._store.manifests.read(text)
        except Refused as refused:
            return self._refused(refused)
        state = request.args.get("state", "")
        answer = self._site.page(
            "new_app.html", manifest=manifest, text=text, state=state, owner=owner
        )
        return _may_lead_to(answer, manifest.redirect_url)

    def create(self, login: str = "") -> AnyResponse:
        """Make the App, and lead back with a code."""
        owner = self._owner(login)

        def act() -> str:
            manifest = self._store.manifests.read(request.form.get("manifest", ""))
            name = request.form.get("name", "").strip()
            code, hook = self._store.manifests.register(manifest, name, owner)
            if hook is not None and hook.active:
                self._webhooks.ping(hook)
            return self._back(manifest, code)

        return self._do(act)

    def app(self, slug: str) -> AnyResponse:
        return self._site.page("app.html", app=self._app(slug))

    def choose(self, slug: str) -> AnyResponse:
        """The form that installs the App."""
        app = self._app(slug)
        target = self._owner(request.args.get("target", ""))
        accounts = self._accounts()
        owned = self._store.repositories.owned_by(target)
        answer = self._site.page(
            "install_app.html", app=app, target=target, accounts=accounts, repositories=owned
        )
        return _may_lead_to(answer, self._setup_url(app))

    def install(self, slug: str) -> AnyResponse:
        app = self._app(slug)
        target = self._owner(request.form.get("target", ""))

        def act() -> str:
            chosen = self._chosen(target)
            done = self._store.apps.install(app, target, repositories=chosen)
            to = self._setup_url(app)
            if not to:
                return f"/apps/{app.slug}"
            return f"{to}?{urlencode({'installation_id': done.id, 'setup_action': 'install'})}"

        if any(i.account_id == target.id for i in self._store.apps.installations(app)):
            return redirect(f"/apps/{app.slug}", 303)
        return self._do(act)

    def _chosen(self, target: Account) -> list[Repository] | None:
        """The repositories that were ticked, None for all."""
        if request.form.get("which") == "all":
            return None
        names = set(request.form.getlist("repository"))
        chosen = [r for r in self._store.repositories.owned_by(target) if r.name in names]
        if not chosen:
            raise Refused(422, "Choose at least one repository.")
        return chosen

    def _accounts(self) -> list[Account]:
        """Those in whose name the maintainer may act."""
        me = self._me()
        return [me, *self._store.accounts.organizations(me)]

    def _owner(self, login: str) -> Account:
        if not login:
            return self._me()
        owner = next((a for a in self._accounts() if a.login.lower() == login.lower()), None)
        return owner or abort(404)

    def _me(self) -> Account:
        return self._site.actor.account or abort(404)

    def _app(self, slug: str) -> App:
        """A private App is seen by its owner alone."""
        app = self._store.apps.find(slug)
        if app is None or app.owner_id not in {a.id for a in self._accounts()}:
            abort(404)
        return app

    def _setup_url(self, app: App) -> str:
        registration = self._store.manifests.of_app(app)
        return registration.setup_url if registration else ""

    @staticmethod
    def _back(manifest: Manifest, code: str) -> str:
        state = request.form.get("state", "")
        arguments = {"code": code} | ({"state": state} if state else {})
        joint = "&" if urlsplit(manifest.redirect_url).query else "?"
        return f"{manifest.redirect_url}{joint}{urlencode(arguments)}"

    def _do(self, act: Callable[[], str]) -> AnyResponse:
        if not self._site.forms.accepts(request):
            return self._refused(Refused(403, "This form is not valid; go back and reload."))
        try:
            return redirect(act(), 302)
        except Refused as refused:
            return self._refused(refused)

    def _refused(self, refused: Refused) -> AnyResponse:
        return self._site.page(
            "error.html", refused.status, title="That was refused", message=refused.text
        )


def _may_lead_to(answer: AnyResponse, url: str) -> AnyResponse:
    """Browsers hold a form's redirect to the policy of the page that it was on."""
    parts = urlsplit(url)
    if url:
        there = f"form-action 'self' {parts.scheme}://{parts.netloc};"
        answer.headers["Content-Security-Policy"] = POLICY.replace("form-action 'self';", there)
    return answer
