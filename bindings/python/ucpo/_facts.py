"""What the library knows: problems, presets, formats, versions."""
from __future__ import annotations

import ctypes as C
import sys
from typing import NamedTuple

from ._lib import LIBRARY_PATH, lib, models_folder, words
from ._version import VERSION


class Problem(NamedTuple):
    """A kind of problem. `depot_is_extra`: size 50 means 50 customers plus the depot."""

    name: str
    title: str
    levels: "list[str]"
    depot_is_extra: bool


def problems() -> "dict[str, Problem]":
    """The problems this library solves, by name.

    >>> "tsptw" in problems()
    True
    """
    found = {}
    for index in range(lib.ucpo_problem_count()):
        info = lib.ucpo_problem_at(index).contents
        name = info.name.decode()
        found[name] = Problem(name, info.title.decode(), info.levels.decode().split(), bool(info.depot_is_extra))
    return found


def presets() -> "list[str]":
    """Names of the published sets that `generate` makes bit for bit."""
    return list(words(lib.ucpo_preset_at))


def loss_presets() -> "list[str]":
    """Names of the preference losses.

    >>> loss_presets()[0]
    'ucpo'
    """
    return list(words(lib.ucpo_loss_preset_at))


def formats() -> "list[str]":
    """File formats of instances."""
    return list(words(lib.ucpo_format_at))


def versions() -> "dict[str, str]":
    """Facts for a bug report, as a dictionary."""
    buffer = C.create_string_buffer(512)
    lib.ucpo_build_info(buffer, 512)
    facts = {"ucpo": VERSION, "library": LIBRARY_PATH, "models": models_folder() or "none found"}
    for line in buffer.value.decode().splitlines():
        key, _, value = line.partition(": ")
        facts[key] = value
    facts["python"] = sys.version.split()[0]
    for name in ("numpy", "torch"):
        module = sys.modules.get(name)
        if module is None:
            from importlib import metadata

            try:
                facts[name] = metadata.version(name) + " (not imported)"
            except metadata.PackageNotFoundError:
                facts[name] = "not installed"
        else:
            facts[name] = getattr(module, "__version__", "?")
    return facts


def show_versions() -> None:
    """Prints versions of everything that matters for a bug report."""
    for key, value in versions().items():
        print(f"{key:12} {value}")
