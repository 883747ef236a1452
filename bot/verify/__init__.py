"""The judge's tools: state and artifacts in, Evidence out. Pure."""
