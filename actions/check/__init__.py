"""The GitHub action that runs check tests; action.yml says how."""
