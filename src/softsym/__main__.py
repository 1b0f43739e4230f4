"""``python -m softsym`` is the command ``softsym``."""

from softsym.cli.main import run

run()
