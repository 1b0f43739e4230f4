"""`python -m softsym` is the command."""

import subprocess
import sys

import softsym as ss


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "softsym", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"softsym {ss.__version__}\n"
