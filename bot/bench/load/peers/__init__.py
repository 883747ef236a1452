"""The smallest servers that other frameworks make of it, to compare with."""
