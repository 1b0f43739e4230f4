"""``softsym doctor`` as a person runs it."""

import json
import os
import subprocess
import sys

from softsym.cli.doctor import OPTIONAL, lines, look


def softsym(*arguments, **environment):
    command = [sys.executable, "-m", "softsym.cli.main", "doctor", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})


def test_says_what_runs():
    done = softsym()
    assert done.returncode == 0, done.stderr
    for text in ("Python 3.", "packages       torch", "cores ", "compiled code  ", "cache ", "optional "):
        assert text in done.stdout


def test_json_without_a_compiler():
    done = softsym("--json", "-", PATH="/nowhere")
    facts = json.loads(done.stdout)
    assert facts["compiled_code"]["compiled"] is False
    assert facts["compiled_code"]["reason"] == "no C compiler (cc or gcc) was found"
    assert facts["environment"]["compiled"] is False
    assert 0 <= facts["cores"]["free"] <= facts["cores"]["usable"]
    assert set(facts["optional"]) == set(OPTIONAL)


def test_what_is_missing_and_how_to_get_it():
    facts = look()
    facts["optional"]["ray"]["version"] = None
    facts["compiled_code"] = {**facts["compiled_code"], "compiled": False, "reason": "no C compiler"}
    shown = "\n".join(lines(facts))
    assert "ray not installed (pip install softsym[ray]): softsym reproduce --engine ray" in shown
    assert "does not run, training takes about twice as long: no C compiler" in shown
