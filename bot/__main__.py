"""`python -m bot` is the `repowright` command."""

from bot.cli import main

main()
