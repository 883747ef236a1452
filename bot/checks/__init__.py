"""Run check tests in a sandbox and read what came back."""
