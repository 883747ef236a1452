"""The GitHub action that mends what makes tests fail; action.yml says how."""
