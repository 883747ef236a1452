"""Benchmarks and their datasets."""
