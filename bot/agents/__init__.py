"""Who talks to the model; every prompt is a file in prompts/."""
