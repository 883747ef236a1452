"""Moving refs through the API under the same rules as a push by git."""

from collections.abc import Iterable

from bot.forge.embedded.git.objects import ZERO, RefUpdate
from bot.forge.embedded.git.process import GitFailed
from bot.forge.embedded.rest.call import Call
from bot.forge.embedded.store.errors import Refused, conflict, forbidden
from bot.forge.embedded.store.policy import push_policy, workflow_refusal

WORKFLOWS = ".github/workflows/"
_PROTECTION = (
    "https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/"
    "managing-protected-branches/about-protected-branches"
)


def move_ref(call: Call, update: RefUpdate) -> None:
    """Compare and swap a ref, then tell the push; 409 where it moved meanwhile."""
    if update.ref.startswith("refs/pull/"):
        raise Refused(422, f"{update.ref} is reserved for pull requests")
    check_protection(call, update)
    if update.ref.startswith("refs/heads/") and not update.deleted:
        _check_workflows(call, update)
    try:
        if update.deleted:
            call.git.delete_ref(update.ref)
        else:
            call.git.update_ref(update.ref, update.new, update.old)
    except GitFailed as error:
        raise conflict(f"Reference {update.ref} has moved or cannot be locked") from error
    call.store.record_push(call.repository, call.actor, [update])


def check_protection(call: Call, update: RefUpdate) -> None:
    """What a push by git would be told, for the API."""
    if not update.ref.startswith("refs/heads/"):
        return
    policy = push_policy(call.store, call.repository, call.actor)
    branch = policy["protected"].get(update.ref.removeprefix("refs/heads/"))
    if branch is None:
        return
    problem = branch["refuse"]
    if update.deleted:
        problem = None if branch["delete"] else "Cannot delete this protected branch"
    elif update.old != ZERO and not call.git.is_ancestor(update.old, update.new):
        problem = problem if branch["force"] else "Cannot force-push to this branch"
    if problem is not None:
        ref = update.ref
        sentence = f"Protected branch update failed for {ref}: {problem}"
        raise Refused(422 if update.deleted else 409, sentence, docs=_PROTECTION)


def refuse_workflows(call: Call, paths: Iterable[str]) -> None:
    """Without the permission, no file under .github/workflows may be added or changed.
    https://docs.github.com/rest/repos/contents#create-or-update-file-contents
    """
    for path in paths:
        if path.startswith(WORKFLOWS) and not call.actor.may_write_workflows:
            message = workflow_refusal(call.actor).format(path=path)
            docs = "https://docs.github.com/rest/repos/contents#create-or-update-file-contents"
            raise forbidden(message, docs)


def _check_workflows(call: Call, update: RefUpdate) -> None:
    if call.actor.may_write_workflows:
        return
    held = [f"^{sha}" for sha in set(call.git.refs("refs/").values())]
    new = call.git.git(
        "log", "-m", "--format=", "--name-only", "-z", update.new, *held, "--", WORKFLOWS
    )
    refuse_workflows(call, filter(None, new.decode("utf-8", "replace").strip("\n").split("\0")))
