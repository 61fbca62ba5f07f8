"""A page of 5000 customers stays below 3 MB and keeps its table: large_page.py PROGRAM."""

import os
import re
import subprocess
import sys
import tempfile

program = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    run = lambda *words: subprocess.run([program, *words], stdout=subprocess.DEVNULL).returncode
    assert run("generate", "cvrptw", "-n", "5000", "--seed", "3", "-o", "big.json") == 0
    assert run("solve", "big.json", "-m", "none", "-t", "3s", "--explain", "never", "-q", "-o", "big.sol") in (0, 3)
    assert run("report", "big.json", "big.sol", "-o", "big.html") in (0, 3)
    with open("bad.txt", "w") as out:  # nearly every stop is late
        out.write(" 0 ".join(" ".join(str(n) for n in range(k, k + 50)) for k in range(1, 5001, 50)) + "\n")
    assert run("report", "big.json", "bad.txt", "-o", "bad.html") == 3
    assert os.path.getsize("bad.html") < 3_000_000, os.path.getsize("bad.html")
    page = open("big.html", encoding="utf-8").read()
    rows = len(re.findall(r"<tr [^>]*data-s=", page))
    dots = len(re.findall(r'class="dot[^>]*data-s="', page))
    assert rows >= 5000, rows
    assert dots >= 5000, dots
    assert len(page.encode()) < 3_000_000, len(page)
    print(f"{len(page.encode())} bytes, {rows} rows, {dots} stops on the map")
