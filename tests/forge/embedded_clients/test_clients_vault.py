"""Environments, secrets and variables as gh and PyGithub set them, and who may."""

from pathlib import Path

import pytest
import requests
from clients_people import Person
from github import Auth, Github, GithubException

from bot.forge.embedded.server import EmbeddedGitHub


def repository_of(github: EmbeddedGitHub, person: Person) -> object:
    client = Github(auth=Auth.Token(person.token), base_url=github.api_url)
    return client.get_repo("octavia/demo")


def test_gh_limits_an_environment_and_fills_it(
    github: EmbeddedGitHub, octavia: Person, project: Path
) -> None:
    home = "repos/octavia/demo/environments/deploy"
    octavia.gh(
        *("api", "--method", "PUT", home),
        *("-F", "deployment_branch_policy[protected_branches]=false"),
        *("-F", "deployment_branch_policy[custom_branch_policies]=true"),
    )
    policies = f"{home}/deployment-branch-policies"
    octavia.gh("api", "--method", "POST", policies, "-f", "name=main")
    shown = octavia.gh("api", policies, "--jq", ".branch_policies[].name")
    assert shown.split() == ["main"]
    octavia.gh("secret", "set", "KEY", "--env", "deploy", cwd=project, stdin="first\nsecond\n")
    octavia.gh("secret", "set", "plain", "--body", "known to few", cwd=project)
    octavia.gh("variable", "set", "PLACE", "--env", "deploy", "--body", "here", cwd=project)
    octavia.gh("variable", "set", "PLACE", "--env", "deploy", "--body", "there", cwd=project)
    assert "KEY" in octavia.gh("secret", "list", "--env", "deploy", cwd=project)
    assert octavia.gh("variable", "list", "--env", "deploy", cwd=project).split()[:2] == [
        "PLACE",
        "there",
    ]
    (demo,) = github.store.repositories.all()
    deploy = github.store.environments.get(demo, "deploy")
    assert github.store.vault.opened(demo, deploy) == {
        "KEY": "first\nsecond",
        "PLAIN": "known to few",
    }
    octavia.gh("secret", "delete", "KEY", "--env", "deploy", cwd=project)
    octavia.gh("variable", "delete", "PLACE", "--env", "deploy", cwd=project)
    assert github.store.vault.opened(demo, deploy) == {"PLAIN": "known to few"}
    assert github.store.vault.values(demo, deploy) == {}


def test_pygithub_sets_secrets_and_variables(
    github: EmbeddedGitHub, octavia: Person, project: Path
) -> None:
    repository = repository_of(github, octavia)
    repository.create_secret("TOKEN", "known to few")
    repository.create_variable("PLACE", "here")
    assert [secret.name for secret in repository.get_secrets()] == ["TOKEN"]
    assert repository.get_variable("PLACE").value == "here"
    environment = repository.create_environment("deploy")
    environment.create_secret("TOKEN", "of the environment")
    environment.create_variable("PLACE", "there")
    assert [e.name for e in repository.get_environments()] == ["deploy"]
    (demo,) = github.store.repositories.all()
    deploy = github.store.environments.get(demo, "deploy")
    assert github.store.vault.opened(demo, None) == {"TOKEN": "known to few"}
    assert github.store.vault.opened(demo, deploy) == {"TOKEN": "of the environment"}
    assert github.store.vault.values(demo, deploy) == {"PLACE": "there"}
    repository.delete_environment("deploy")
    assert github.store.environments.of(demo) == []


@pytest.mark.parametrize("name", ["GITHUB_KEY", "1ST", "has-dash"])
def test_a_name_that_github_refuses_is_refused(
    github: EmbeddedGitHub, octavia: Person, project: Path, name: str
) -> None:
    repository = repository_of(github, octavia)
    with pytest.raises(GithubException) as caught:
        repository.create_variable(name, "here")
    assert caught.value.status == 422


def test_strangers_do_not_even_learn_the_names(
    github: EmbeddedGitHub, octavia: Person, rufus: Person, project: Path
) -> None:
    repository_of(github, octavia).create_secret("TOKEN", "known to few")
    asked = requests.get(
        f"{github.api_url}/repos/octavia/demo/actions/secrets",
        headers={"Authorization": f"token {rufus.token}"},
        timeout=30,
    )
    assert asked.status_code == 403
    (demo,) = github.store.repositories.all()
    workflow = github.store.tokens.create_workflow(demo, 1)
    asked = requests.get(
        f"{github.api_url}/repos/octavia/demo/actions/secrets",
        headers={"Authorization": f"token {workflow}"},
        timeout=30,
    )
    assert asked.status_code == 403
