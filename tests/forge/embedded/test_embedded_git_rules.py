"""GitHub's rules about git: empty repositories, protection, workflows, refs."""

import gzip
from pathlib import Path

import pytest
import requests
from embedded_world import World
from github import GithubException, InputGitTreeElement

WORKFLOW = ".github/workflows/ci.yml"


def test_an_empty_repository_answers_409_until_its_first_commit(world: World) -> None:
    repository = world.repository()
    for refused in (
        lambda: repository.get_git_ref("heads/main"),
        lambda: repository.create_git_blob("text", "utf-8"),
        lambda: repository.get_commits()[0],
        lambda: repository.get_git_tree("main"),
    ):
        with pytest.raises(GithubException) as error:
            refused()
        assert error.value.status == 409
        assert error.value.data["message"] == "Git Repository is empty."
    with pytest.raises(GithubException) as error:
        repository.get_contents("")
    assert (error.value.status, error.value.data["message"]) == (404, "This repository is empty.")
    repository.create_file("README.md", "First", "hello\n")
    assert repository.get_contents("README.md").decoded_content == b"hello\n"
    assert repository.create_git_blob("text", "utf-8").sha


def test_contents_are_created_updated_and_deleted_against_their_sha(world: World) -> None:
    repository = world.filled()
    entry = repository.get_contents("app.py")
    with pytest.raises(GithubException) as error:
        repository.update_file("app.py", "Stale", "x", "0" * 40)
    assert error.value.status == 409
    with pytest.raises(GithubException) as error:
        repository.create_file("app.py", "Twice", "x")
    assert error.value.status == 422
    repository.delete_file("app.py", "Gone", entry.sha)
    with pytest.raises(GithubException) as error:
        repository.get_contents("app.py")
    assert error.value.status == 404
    with pytest.raises(GithubException) as error:
        repository.create_file(".git/config", "Bad", "x")
    assert error.value.status == 422


def test_git_data_makes_a_commit_by_hand(world: World) -> None:
    repository = world.filled()
    parent = repository.get_git_commit(repository.get_branch("main").commit.sha)
    blob = repository.create_git_blob("aGk=", "base64")
    tree = repository.create_git_tree(
        [
            InputGitTreeElement("lib/new.py", "100644", "blob", sha=blob.sha),
            InputGitTreeElement("app.py", "100644", "blob", sha=None),
        ],
        parent.tree,
    )
    commit = repository.create_git_commit("By hand", tree, [parent])
    repository.get_git_ref("heads/main").edit(commit.sha)
    paths = [e.path for e in repository.get_git_tree("main", recursive=True).tree]
    assert paths == ["lib", "lib/new.py"]
    ref = repository.get_git_ref("heads/main")
    with pytest.raises(GithubException) as error:
        ref.edit(parent.sha)
    assert error.value.status == 422
    assert error.value.data["message"] == "Update is not a fast forward"
    ref.edit(parent.sha, force=True)
    with pytest.raises(GithubException) as error:
        repository.create_git_ref("refs/heads/work", parent.sha)
    assert error.value.data["message"] == "Reference already exists"
    comparison = repository.compare("main", commit.sha)
    assert (comparison.status, comparison.ahead_by) == ("ahead", 1)


def test_a_protected_branch_refuses_pushes_by_git_and_api(world: World) -> None:
    repository = world.filled()
    repository.get_branch("main").edit_protection(
        enforce_admins=True, required_approving_review_count=1
    )
    clone = world.clone()
    world.commit(clone, {"new.py": "x = 1\n"})
    pushed = world.git("push", "origin", "HEAD:main", "HEAD:refs/heads/other", cwd=clone)
    assert pushed.returncode != 0
    assert "GH006: Protected branch update failed for refs/heads/main." in pushed.stderr
    assert "protected branch hook declined" in pushed.stderr
    assert "HEAD -> other" in pushed.stderr
    with pytest.raises(GithubException) as error:
        repository.create_file("api.py", "Direct", "x = 1\n")
    assert error.value.status == 409
    assert "Changes must be made through a pull request." in error.value.data["message"]
    pull = repository.create_pull(title="Way in", body="", head="other", base="main")
    with pytest.raises(GithubException) as error:
        pull.merge()
    assert error.value.status == 405
    repository.add_to_collaborators("stranger", "push")
    world.repository(world.stranger).get_pull(pull.number).create_review(event="APPROVE")
    assert pull.merge().merged


def test_protection_alone_refuses_force_and_deletion(world: World) -> None:
    repository = world.filled()
    repository.get_branch("work").edit_protection(enforce_admins=False)
    clone = world.clone()
    world.git("checkout", "-q", "work", cwd=clone)
    world.commit(clone, {"new.py": "x = 1\n"})
    assert world.git("push", "-q", "origin", "work", cwd=clone).returncode == 0
    world.git("reset", "-q", "--hard", "HEAD~2", cwd=clone)
    forced = world.git("push", "--force", "origin", "work", cwd=clone)
    assert "Cannot force-push to this branch" in forced.stderr
    deleted = world.git("push", "origin", ":work", cwd=clone)
    assert "Cannot delete this protected branch" in deleted.stderr


def test_unprotected_branches_may_be_forced_and_only_when_forced(world: World) -> None:
    world.filled()
    clone = world.clone()
    world.git("checkout", "-q", "work", cwd=clone)
    world.git("reset", "-q", "--hard", "HEAD~1", cwd=clone)
    world.commit(clone, {"other.py": "y = 1\n"})
    assert "non-fast-forward" in world.git("push", "origin", "work", cwd=clone).stderr
    stale = world.git("push", f"--force-with-lease=work:{'1' * 40}", "origin", "work", cwd=clone)
    assert "stale info" in stale.stderr
    assert world.git("push", "-q", "--force", "origin", "work", cwd=clone).returncode == 0


def test_refs_outside_the_branches_are_stored_and_fetched(world: World) -> None:
    world.filled()
    clone = world.clone()
    sha = world.git("rev-parse", "HEAD", cwd=clone).stdout.strip()
    assert world.git("push", "-q", "origin", "HEAD:refs/repowright/7", cwd=clone).returncode == 0
    fetched = world.git("ls-remote", "origin", "refs/repowright/*", cwd=clone)
    assert fetched.stdout.split() == [sha, "refs/repowright/7"]
    assert world.repository().get_git_ref("repowright/7").object.sha == sha


def test_pull_request_refs_are_read_only(world: World) -> None:
    repository = world.filled()
    pull = repository.create_pull(title="P", body="", head="work", base="main")
    clone = world.clone()
    seen = world.git("ls-remote", "origin", f"refs/pull/{pull.number}/head", cwd=clone)
    assert seen.stdout.split()[0] == pull.head.sha
    assert world.git("push", "origin", "HEAD:refs/pull/9/head", cwd=clone).returncode != 0
    with pytest.raises(GithubException) as error:
        repository.create_git_ref("refs/pull/9/head", pull.head.sha)
    assert error.value.status == 422


@pytest.mark.parametrize("kind", ["pat", "app", "workflow"])
def test_workflow_files_need_the_permission(world: World, kind: str) -> None:
    repository = world.filled()
    tokens = world.github.store.tokens
    token, words = {
        "pat": (
            tokens.create_personal(world.seeded.maintainer, ["repo"]),
            "refusing to allow a Personal Access Token to create or update workflow "
            f"`{WORKFLOW}` without `workflow` scope",
        ),
        "app": (
            world.app_token(permissions={"contents": "write", "metadata": "read"}),
            "refusing to allow a GitHub App to create or update workflow "
            f"`{WORKFLOW}` without `workflows` permission",
        ),
        "workflow": (
            tokens.create_workflow(world.seeded.repository, 1),
            f"create or update workflow `{WORKFLOW}` without `workflows` permission",
        ),
    }[kind]
    clone = world.clone(token)
    world.commit(clone, {WORKFLOW: "on: push\n"})
    pushed = world.git("push", "origin", "HEAD:refs/heads/ci", cwd=clone)
    assert pushed.returncode != 0
    assert words in pushed.stderr
    with pytest.raises(GithubException) as error:
        world.repository(world.client(token)).create_file(WORKFLOW, "Add", "on: push\n")
    assert error.value.status == 403
    assert words in error.value.data["message"]
    world.git("reset", "-q", "--hard", "HEAD~1", cwd=clone)
    world.commit(clone, {"fine.py": "x = 1\n"})
    assert world.git("push", "-q", "origin", "HEAD:refs/heads/fine", cwd=clone).returncode == 0
    assert repository.get_branch("fine").name == "fine"


def test_the_permission_lets_workflow_files_through(world: World) -> None:
    world.filled()
    clone = world.clone(world.app_token())
    world.commit(clone, {WORKFLOW: "name: CI\non: push\n"})
    assert world.git("push", "-q", "origin", "HEAD:main", cwd=clone).returncode == 0
    assert [w.name for w in world.repository().get_workflows()] == ["CI"]


def test_git_asks_for_credentials_and_refuses_what_they_do_not_allow(world: World) -> None:
    world.filled()
    clone = world.clone(world.stranger_token)
    world.commit(clone, {"a.py": ""})
    denied = world.git("push", "origin", "HEAD:refs/heads/x", cwd=clone)
    assert denied.returncode != 0
    assert "403" in denied.stderr
    world.repository().edit(private=True)
    hidden = world.git("ls-remote", world.remote(world.stranger_token))
    assert "not found" in hidden.stderr
    nameless = requests.get(
        f"{world.github.url}/maintainer/project.git/info/refs?service=git-upload-pack", timeout=30
    )
    assert nameless.status_code == 401
    assert nameless.headers["WWW-Authenticate"].startswith("Basic")
    assert world.git("ls-remote", world.remote("ghp_wrong")).returncode != 0


def test_git_takes_large_chunked_and_compressed_requests(world: World) -> None:
    world.filled()
    clone = world.clone()
    noise = "".join(f"{i * 7919 % 104729}\n" for i in range(400_000))
    world.commit(clone, {"big.txt": noise})
    pushed = world.git(
        "-c", "http.postBuffer=1024", "push", "-q", "origin", "HEAD:refs/heads/big", cwd=clone
    )
    assert pushed.returncode == 0, pushed.stderr
    flush = gzip.compress(b"0014command=ls-refs\n0000")
    answer = requests.post(
        f"{world.github.url}/maintainer/project.git/git-upload-pack",
        data=flush,
        headers={
            "Content-Type": "application/x-git-upload-pack-request",
            "Content-Encoding": "gzip",
            "Git-Protocol": "version=2",
        },
        timeout=30,
    )
    assert b"refs/heads/big" in answer.content


def test_the_first_branch_pushed_becomes_the_default_branch(world: World, tmp_path: Path) -> None:
    path = tmp_path / "new"
    world.git("init", "-q", "-b", "trunk", str(path))
    world.commit(path, {"a.py": ""})
    assert world.git("push", "-q", world.remote(), "trunk", cwd=path).returncode == 0
    assert world.repository().default_branch == "trunk"
    with pytest.raises(GithubException) as error:
        world.repository().get_git_ref("heads/trunk").delete()
    assert error.value.status == 422


def test_pull_requests_follow_pushes(world: World) -> None:
    repository = world.filled()
    pull = repository.create_pull(title="P", body="", head="work", base="main")
    clone = world.clone()
    world.git("checkout", "-q", "work", cwd=clone)
    head = world.commit(clone, {"more.py": "z = 1\n"})
    world.git("push", "-q", "origin", "work", cwd=clone)
    seen = repository.get_pull(pull.number)
    assert (seen.head.sha, seen.commits) == (head, 2)
    world.git("push", "-q", "origin", "work:main", cwd=clone)
    assert repository.get_pull(pull.number).merged


def test_matching_references_come_whole_whatever_page_is_asked_for(world: World) -> None:
    repository = world.filled()
    head = repository.get_branch("main").commit.sha
    repository.create_git_ref("refs/heads/wore", head)
    place = f"repos/{repository.full_name}/git/matching-refs/heads/wor"
    for page in (1, 2):
        answer = world.call("GET", f"{place}?per_page=1&page={page}")
        assert [row["ref"] for row in answer.json()] == ["refs/heads/wore", "refs/heads/work"]
        assert answer.links == {}
