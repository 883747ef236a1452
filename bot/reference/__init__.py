"""The configuration reference, made from the settings themselves."""
