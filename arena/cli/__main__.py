"""`python -m arena.cli`, for where the console script is not on the path."""

from arena.cli.main import main

main()
