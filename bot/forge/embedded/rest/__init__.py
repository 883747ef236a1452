"""GitHub's REST API, one module per group of its documentation."""
