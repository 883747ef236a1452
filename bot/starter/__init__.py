"""What a repository needs to use Repowright in its GitHub Actions: workflows, issue form, settings,
and the steps that are left to a person."""
