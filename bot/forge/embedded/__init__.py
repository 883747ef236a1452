"""A GitHub for one machine: API, git, Actions and pages."""
