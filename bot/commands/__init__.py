"""The commands of `repowright`, a file for those that go together."""
