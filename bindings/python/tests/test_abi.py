"""The structs of ctypes are those of the C compiler."""
import ctypes
import shutil
import subprocess
import sys

import pytest
from ucpo import _abi as abi
from ucpo._lib import lib
from ucpo._version import VERSION


def structs():
    return {name: kind for name, kind in vars(abi).items() if isinstance(kind, type) and issubclass(kind, ctypes.Structure)}


def test_the_abi_file_is_made_from_the_header(root):
    done = subprocess.run([sys.executable, root / "bindings/python/tools/make_abi.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_offset_is_the_compilers(root, tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    lines = ["#include <stdio.h>", "#include <stddef.h>", '#include "ucpo.h"', "int main(void) {"]
    expected = []
    for name, kind in structs().items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {ctypes.sizeof(kind)}")
        for field, _ in kind._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            expected.append(f"{name}.{field} {getattr(kind, field).offset}")
    (tmp_path / "a.c").write_text("\n".join(lines + ["return 0; }"]))
    subprocess.run([compiler, "-I", root / "include", "-o", tmp_path / "a", tmp_path / "a.c"], check=True)
    found = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    assert len(expected) > 200
    assert found == expected


def test_versions_agree(root):
    assert lib.ucpo_version().decode() == VERSION


def test_reports_have_the_fields_of_the_header():
    from ucpo import TrainReport

    assert list(TrainReport._fields) == [name for name, _ in abi.ucpo_train_report._fields_]
