"""Jobs whose condition leaves them out."""

from actions_hub import Hub


def test_a_run_of_which_every_job_is_left_out_was_skipped(hub: Hub) -> None:
    hub.workflow(
        """
        on: push
        jobs:
          one: {if: false, runs-on: ubuntu-latest, steps: [{run: "true"}]}
          two: {needs: one, runs-on: ubuntu-latest, steps: [{run: "true"}]}
        """
    )
    (run,) = hub.completed()
    assert run.conclusion == "skipped"
    assert {name: job.conclusion for name, job in hub.jobs(run).items()} == {
        "one": "skipped",
        "two": "skipped",
    }


def test_a_run_of_which_one_job_is_left_out_succeeded(hub: Hub) -> None:
    hub.workflow(
        """
        on: push
        jobs:
          one: {if: false, runs-on: ubuntu-latest, steps: [{run: "true"}]}
          two: {runs-on: ubuntu-latest, steps: [{run: "true"}]}
        """
    )
    (run,) = hub.completed()
    assert run.conclusion == "success"
    assert {name: job.conclusion for name, job in hub.jobs(run).items()} == {
        "one": "skipped",
        "two": "success",
    }
