"""What past repairs taught, abstracted and retrieved."""
