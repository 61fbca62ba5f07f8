"""Every picture is well-formed XML, and every label of a map has room of its own:
pictures.py PROGRAM"""

import json
import os
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from problems import problems  # noqa: E402

program = os.path.abspath(sys.argv[1])
SVG = "{http://www.w3.org/2000/svg}"


def boxes(root):
    """Numbers beside dots and inside them, as the writer estimates their size."""
    found = []
    for group in root.iter(SVG + "g"):
        if (group.get("class") or "").split()[0] != "stop":
            continue
        for text in group.iter(SVG + "text"):
            width, x, y = 5.8 * len(text.text), float(text.get("x")), float(text.get("y")) - 3.6
            found.append((x - width / 2, y - 4, x + width / 2, y + 4))
    return found


def overlaps(a, b):
    return a[0] < b[2] - 0.2 and b[0] < a[2] - 0.2 and a[1] < b[3] - 0.2 and b[1] < a[3] - 0.2


count = 0
with tempfile.TemporaryDirectory() as folder:
    for problem, _ in problems(program):
        for size in (5, 50, 200, 1000):
            instance, plan, picture = (os.path.join(folder, n) for n in ("i.json", "p.txt", "p.svg"))
            subprocess.run([program, "generate", problem, "-n", str(size), "-o", instance], check=True)
            with open(instance) as text:
                data = json.load(text)
            is_fleet = "capacity" in data
            nodes = list(range(1, data["n"]))
            random.Random(size).shuffle(nodes)
            if is_fleet:
                nodes = [n for k, node in enumerate(nodes) for n in ([0, node] if k % 12 == 0 else [node])]
            with open(plan, "w") as out:
                out.write(" ".join(map(str, nodes)) + "\n")
            code = subprocess.run([program, "plot", instance, plan, "-o", picture]).returncode
            assert code in (0, 3), (problem, size, code)
            root = xml.parse(picture).getroot()
            assert root.find(SVG + "title").text and root.find(SVG + "desc").text
            labels = boxes(root)
            assert size > 5 or len(labels) >= len(nodes) - is_fleet, (problem, size, len(labels))
            for i, a in enumerate(labels):
                for b in labels[:i]:
                    assert not overlaps(a, b), (problem, size, a, b)
            page = os.path.join(folder, "p.html")
            if size <= 50:
                code = subprocess.run([program, "report", instance, plan, "-o", page]).returncode
                assert code in (0, 3), (problem, size, code)
                with open(page) as text:
                    assert "://" not in text.read().replace("http://www.w3.org/2000/svg", "")
            count += 1
print(count, "pictures looked at")
