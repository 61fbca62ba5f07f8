"""python -m ucpo: the program, if it is on the path or beside this Python; otherwise versions."""
import os
import shutil
import sys

from ._facts import show_versions

program = os.path.join(os.path.dirname(sys.executable), "ucpo")
if not os.path.exists(program):
    program = shutil.which("ucpo") or ""
if not program:
    show_versions()
    sys.exit("ucpo: the program is not on the path")
os.execv(program, ["ucpo"] + sys.argv[1:])
