"""The problems that a program knows, as it lists them: no test has a list of its own."""

import json
import subprocess


def ask(*words):
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def problems(ucpo):
    """Name and levels of each, in the program's order."""
    return [(p["name"], p["levels"].split()) for p in ask(ucpo, "info", "--format", "json")["problems"]]


def example(ucpo, name, size=6):
    """An instance of a problem, whose keys say which arrays the problem has."""
    return ask(ucpo, "generate", name, "-n", str(size), "-q")
