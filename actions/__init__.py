"""What the workflows of a repository call: generate, check and repair."""
