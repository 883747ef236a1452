"""The GitHub action that works on runs; action.yml says how."""
