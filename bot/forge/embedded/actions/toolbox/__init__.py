"""Stand-ins for actions that would need Node.js or a network; each is a composite action."""
