"""Open a run: work branch, given files, draft pull request, progress comment."""

from bot.base import Outcome
from bot.phases.publish import describe
from bot.phases.run import Phase, RunState
from bot.phases.services import Services
from bot.phases.texts import say
from bot.phases.tree import content_of
from bot.phases.workflow import check_workflow, missing_workflow, workflow_path
from bot.ports.forge import Transient, Unavailable
from bot.ports.git import GitError
from bot.spec.dependencies import stated_requirements
from bot.spec.model import Problem, Severity, Spec


def open_run(state: RunState, spec: Spec, services: Services) -> RunState:
    """Leave the state at the first architecture round, or at the end where the spec is no good."""
    if spec.fatal:
        return state.ending(Outcome.SPEC_REJECTED, say("outcome_spec_rejected"))
    state = _on_branch(state, spec, services)
    requirements = spec.requirements or stated_requirements(spec.sections)
    notes = notes_on_documents(spec)
    if requirements != spec.requirements:
        notes.append(say("note_requirements", lines=", ".join(requirements)))
    state = state.model_copy(update={"requirements": requirements, "notes": tuple(notes)})
    state = _give(state, spec, services)
    state = _offer_workflow(state, services)
    return _draft(state.entering(Phase.ARCHITECTURE), services)


def notes_on_documents(spec: Spec) -> list[str]:
    """What people have to know of their documents before anything is built from them."""
    notes = {what: say(f"note_derived_{what}") for what in spec.derived}
    faults = [p for p in spec.problems if p.code.startswith("mermaid-") and _is_lost(p)]
    untyped = [p for p in faults if p.code == "mermaid-no-type"]
    if not any(diagram.classes for diagram in spec.class_diagrams):
        places = [d.location for d in spec.class_diagrams] + [p.location for p in untyped]
        if places:
            notes["uml"] = say("note_no_classes", place=f"{places[0].file}:{places[0].line}")
    elif faults:
        place = faults[0].location
        notes["uml"] = say("note_uml_lost", lines=len(faults), place=f"{place.file}:{place.line}")
    return list(notes.values())


def _is_lost(problem: Problem) -> bool:
    return problem.severity is not Severity.NOTE


def _on_branch(state: RunState, spec: Spec, services: Services) -> RunState:
    repository = services.forge.repository()
    if repository.empty:
        services.forge.first_commit(state.mark("first"), "README.md", f"# {spec.title}\n")
    services.git.fetch()
    base = services.git.head(repository.default_branch) or ""
    return state.model_copy(
        update={
            "base_branch": repository.default_branch,
            "default_branch": repository.default_branch,
            "base_commit": base,
            "head": services.git.head(state.branch) or base,
        }
    )


def _give(state: RunState, spec: Spec, services: Services) -> RunState:
    """Commit the author's check tests and data where the base does not hold them."""
    present = services.git.read(state.head)
    files: dict[str, bytes | None] = {
        f.path: content_of(f) for f in (*spec.check_tests, *spec.resources)
    }
    if state.requirements and "requirements.txt" not in present:
        files["requirements.txt"] = ("\n".join(state.requirements) + "\n").encode()
    files.setdefault(".gitignore", b"__pycache__/\n*.egg-info/\n.coverage\n")
    changes = {p: c for p, c in files.items() if present.get(p) != c}
    if ".gitignore" in present:
        changes.pop(".gitignore", None)
    head = services.git.commit(
        state.branch,
        parent=state.head,
        changes=changes,
        message=say("commit_given", issue=state.issue),
        mark=state.mark("given"),
    )
    return state.model_copy(update={"head": head})


def _offer_workflow(state: RunState, services: Services) -> RunState:
    """Commit the check workflow where the bot may; else the description shows it."""
    if not missing_workflow(state, services):
        return state
    path, text = workflow_path(state.settings.checks), check_workflow(state, services)
    if state.settings.may_write_workflows:
        try:
            head = services.git.commit(
                state.branch,
                parent=state.head,
                changes={path: text.encode()},
                message=say("commit_workflow"),
                mark=state.mark("workflow"),
            )
        except (Transient, Unavailable):
            raise
        except GitError:
            services.git.fetch()
        else:
            return state.model_copy(update={"head": head})
    note = say("note_no_workflow", workflow=state.settings.checks.workflow)
    return state.model_copy(update={"notes": (*state.notes, note)})


def _draft(state: RunState, services: Services) -> RunState:
    pull = services.forge.open_pull_request(
        state.mark("pull"),
        head=state.branch,
        base=state.base_branch,
        title=say("title_pull_request", title=state.title),
        body=describe(state, services),
        draft=True,
    )
    return state.model_copy(update={"pull_request": pull.number, "pull_request_url": pull.html_url})
