"""Mermaid diagrams read into the spec's model, line by line, each line with a lark grammar."""
