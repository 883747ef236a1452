"""Settings of one repository: `.github/repowright.yml`, held to what the operator allows."""
