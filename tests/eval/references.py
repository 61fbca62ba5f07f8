#!/usr/bin/env python3
"""scripts/references: references.py UCPO. Made-up references below, at and above the optimum, and one that is the
length of 1, 2, 3, ...; a second call solves nothing; what is asked wrongly is told in one line."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

UCPO = os.path.abspath(sys.argv[1])
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "references"
SET, COUNT = "tsptw50_hard", 8


def call(*arguments, expect=0):
    done = subprocess.run([sys.executable, SCRIPT, "--ucpo", UCPO, *map(str, arguments)], capture_output=True,
                          text=True, check=False)
    assert done.returncode == expect, (arguments, done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def write_npy(path, code, rows):
    flat, shape = (rows, f"({len(rows)},)")
    if isinstance(rows[0], list):
        flat, shape = [x for row in rows for x in row], f"({len(rows)}, {len(rows[0])})"
    descr = {"f": "<f4", "B": "|u1"}[code]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                     + struct.pack(f"<{len(flat)}{code}", *flat))


def optima(folder):
    """Costs in units, our tours, and the length of 1, 2, 3, ... of instance 3."""
    subprocess.run([UCPO, "generate", "--preset", SET, "--count", str(COUNT), "-o", folder / "set.npy"], check=True)
    subprocess.run([UCPO, "solve", folder / "set.npy", "-q", "-o", folder / "plans.json"], check=True)
    found = json.loads((folder / "plans.json").read_text())
    assert all(facts["end"] == "optimal" for facts in found["solver"])
    (folder / "order.txt").write_text((" ".join(map(str, range(1, 50))) + "\n") * COUNT)
    order = subprocess.run([UCPO, "check", folder / "set.npy", folder / "order.txt", "-f", "json", "-q"],
                           capture_output=True, text=True, check=False)
    plans = found["solutions"]
    return ([plan["cost"] / plan["unit"] for plan in plans], [plan["routes"][0]["nodes"] for plan in plans],
            json.loads(order.stdout)["solutions"][3]["cost"] / 100)


def main():
    with tempfile.TemporaryDirectory() as room:
        room = pathlib.Path(room)
        costs, tours, order = optima(room)
        made_up = list(costs)
        made_up[1], made_up[2], made_up[3] = 0.97 * costs[1], 1.02 * costs[2], order
        tours[5] = list(range(1, 50))
        write_npy(room / f"{SET}_lkh_cost10000.npy", "f", made_up)
        write_npy(room / f"{SET}_lkh_tour1000.npy", "B", tours)
        asked = [SET, "--reference", room, "--out", room / "out", "--count", COUNT, "--chunk", 3]
        text = call(*asked)
        (found,) = json.loads((room / "out/references.json").read_text())
        wrong = [1] + ([3] if order < costs[3] else [])
        assert [index for index, _ in found["contradicted"]] == wrong, found
        assert abs(found["contradicted"][0][1] + 3) < 1e-3, found
        assert found["allowed"] == wrong and found["placeholders"] == [3], found
        assert [index for index, _ in found["above"]] == [2] and abs(found["above"][0][1] - 2) < 1e-3, found
        assert [index for index, _ in found["equal"]] == [0, 4, 5, 6, 7] and found["proved"] == COUNT, found
        assert [(index, is_order) for index, _, is_order in found["tours"]] == [(5, True)], found
        assert f"| {SET} | 8 | 8 | 1 | {len(wrong)} | 5 |" in text, text

        parts = {path: path.stat().st_mtime_ns for path in (room / "out" / SET).iterdir()}
        assert sorted(path.name for path in parts) == ["00000-00002.csv", "00003-00005.csv", "00006-00007.csv"]
        missing = min(parts)
        missing.unlink()
        call(*asked)
        assert {path: path.stat().st_mtime_ns for path in parts if path != missing} == {
            path: time for path, time in parts.items() if path != missing}
        assert missing.exists()

        there = [SET, "--so-far", "--out", room / "out"]
        for words, wrong_call in (("no published set 'tsptw'", ["tsptw"]), ("--first", [SET, "--count", 0]),
                                  ("nothing there yet", [SET, "--so-far", "--out", room / "none"]),
                                  ("lkh_cost10000.npy", [*there, "--reference", room / "x"])):
            told = call(*wrong_call, expect=2).splitlines()[-1]
            assert told.startswith("references: ") and words in told, told
    print("references: ok")


main()
