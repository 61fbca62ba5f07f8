"""Opens a report in a browser, clicks a vehicle and a stop, and compares what is shown with
`ucpo check --format json`: report.py PROGRAM. Exit status 77 (skipped) without Chromium."""

import json
import os
import subprocess
import sys
import tempfile

import chromium

program = os.path.abspath(sys.argv[1])
browser_path = chromium.find()
if not browser_path:
    print("skipped: there is no chromium on the PATH (apt-get install chromium)")
    sys.exit(77)

DETAIL = """Object.fromEntries(Array.from(document.querySelectorAll('.detail tr'))
    .map(r => [r.children[0].textContent, r.children[1].textContent]))"""


def close(shown, value):
    """The page rounds to two decimals here (the instance's unit is 9)."""
    return abs(float(shown) - value) <= 0.005001


def check(condition, words):
    if not condition:
        raise AssertionError(words)


def make(folder):
    """An instance whose name is markup, with a plan in two routes that is late and overloaded."""
    instance = {
        "schema": "ucpo.instance/1", "problem": "cvrptw", "n": 6, "capacity": 10,
        "name": "<script>document.title='broken'</script><img src=x onerror=alert(1)>",
        "coordinates": [[0, 0], [3, 4], [6, 8], [6, 0], [9, 4], [1, 7]],
        "metric": "euclid", "rounding": "none", "demand": [0, 4, 5, 7, 4, 3],
        "time_windows": [[0, 60], [4, 9], [8, 14], [15, 22], [0, 30], [5, 9]],
        "service": [0, 1, 1, 1, 1, 1], "ids": ["D", "K1", "K2", "K3", "K4", "K5"],
        "names": ["", "", "Bakery <b>", "", "", ""]}
    paths = [os.path.join(folder, name) for name in ("i.json", "plan.txt", "r.html")]
    with open(paths[0], "w") as out:
        json.dump(instance, out)
    with open(paths[1], "w") as out:
        out.write("1 2 5 0 3 4\n")
    return paths


with tempfile.TemporaryDirectory() as folder:
    instance, plan, page = make(folder)
    code = subprocess.run([program, "report", instance, plan, "-o", page]).returncode
    check(code == 3, f"exit status {code}, expected 3: the plan is infeasible")
    checked = json.loads(subprocess.run([program, "check", instance, plan, "--format", "json"],
                                        capture_output=True).stdout)
    browser = chromium.Browser(browser_path)
    try:
        browser.open(page)
        check(browser.js("document.title").startswith("<script>"), "the name is not shown as text")
        check(browser.js("document.querySelectorAll('img').length") == 0, "markup came through")
        verdict = browser.js("document.querySelector('.verdict').textContent")
        check("Infeasible" in verdict and "late" in verdict, f"verdict: {verdict}")
        check(browser.js("document.querySelector('.verdict.good')") is None, "called feasible")
        data = json.loads(browser.js("document.getElementById('ucpo-data').textContent"))
        solution = data["plans"][0]["solution"]
        check(solution["routes"] == checked["routes"], "the data of the page is not the checker's")

        stops = [(r["vehicle"], s) for r in checked["routes"] for s in r["stops"]]
        for row, (vehicle, stop) in enumerate(stops):
            cells = browser.js(f"""Array.from(document.querySelectorAll(
                '.stops tr[data-s="{row}"] td')).map(c => c.textContent)""")
            check(int(cells[0]) == vehicle, f"row {row}: vehicle {cells[0]}")
            for column, key in ((5, "arrive"), (8, "wait"), (9, "start"), (10, "late"), (11, "load")):
                check(close(cells[column], stop[key]), f"row {row}: {key} {cells[column]}")
            check(bool(cells[12]) == bool(stop["violations"]), f"row {row}: {cells[12]}")

        for where in ("figure.map", "figure.wide", ".stops"):  # a stop, clicked in three places
            for row, (vehicle, stop) in enumerate(stops):
                if stop["node"] == 0 and where == "figure.map":
                    continue
                browser.js(f"""document.querySelector('{where} [data-s="{row}"]')
                    .dispatchEvent(new MouseEvent('click', {{bubbles: true}}))""")
                shown = browser.js(DETAIL)
                for word, key in (("arrival", "arrive"), ("waiting", "wait"), ("start", "start"),
                                  ("lateness", "late")):
                    check(close(shown[word], stop[key]), f"{where} {row}: {word} {shown[word]}")
                check(("violated" in shown) == bool(stop["violations"]), f"{where} {row}: {shown}")
                on = browser.js("""Array.from(new Set(Array.from(document.querySelectorAll('.on'))
                    .map(e => e.getAttribute('data-s'))))""")
                check(on == [str(row)], f"{where} {row}: marked are {on}")

        browser.press("Escape")
        browser.js("document.querySelector('.stops .pick').focus()")
        browser.press("Escape")
        check(browser.js("document.querySelectorAll('.on').length") == 0, "Escape does not clear")
        browser.press("ArrowDown")
        browser.press("ArrowDown")
        check(browser.js("document.querySelector('.stops tr.on').dataset.s") == "1", "arrow keys")

        browser.js("document.querySelector('[data-chip=\"2\"]').click()")
        shown = browser.js(DETAIL)
        nodes = " ".join("K" + str(n) for n in checked["routes"][1]["nodes"])
        check(shown["order"] == nodes, f"vehicle 2: {shown}")
        same = browser.js("""Array.from(new Set(Array.from(document.querySelectorAll('.same'))
            .map(e => e.getAttribute('data-v'))))""")
        check(same == ["2"], f"marked with vehicle 2: {same}")
        for place in ("figure.map", "figure.wide", ".stops"):
            check(browser.js(f"document.querySelector('{place} .same') !== null"), place)

        browser.js("document.querySelectorAll('.stops th button')[5].click()")
        arrivals = browser.js("""Array.from(document.querySelectorAll('.stops tbody tr'))
            .map(r => parseFloat(r.children[5].textContent))""")
        check(arrivals == sorted(arrivals), f"sorted: {arrivals}")

        # search, hiding, zoom, pointing
        browser.js("""(function () { var f = document.querySelector('.find'); f.value = 'bakery';
            f.dispatchEvent(new Event('input')); })()""")
        check(browser.js("document.querySelector('.stops tr.on').children[2].textContent") == "2", "search by name")
        browser.js("""(function () { var f = document.querySelector('.find'); f.value = 'K5';
            f.dispatchEvent(new Event('input')); })()""")
        check(browser.js("document.querySelector('.stops tr.on').children[2].textContent") == "5", "search by id")
        browser.press("Escape")
        browser.js("document.querySelectorAll('.eye')[1].click()")
        hidden = browser.js("""Array.from(new Set(Array.from(document.querySelectorAll('.gone'))
            .map(e => e.getAttribute('data-v'))))""")
        check(hidden == ["2"], f"hidden: {hidden}")
        browser.js("document.querySelectorAll('.eye')[1].click()")
        check(browser.js("document.querySelectorAll('.gone').length") == 0, "shown again")
        before = browser.js("document.querySelector('figure.map svg').getAttribute('viewBox')")
        browser.js("Array.from(document.querySelectorAll('.tools button')).find(b => b.textContent === '+').click()")
        after = browser.js("document.querySelector('figure.map svg').getAttribute('viewBox')")
        check(float(after.split()[2]) < float(before.split()[2]), f"zoom: {before} to {after}")
        browser.js("Array.from(document.querySelectorAll('.tools button')).find(b => b.textContent === 'whole map').click()")
        check(browser.js("document.querySelector('figure.map svg').getAttribute('viewBox')").split()[2]
              == before.split()[2], "the whole map again")
        browser.js("""document.querySelector('figure.map [data-v="2"]')
            .dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))""")
        near = browser.js("""Array.from(new Set(Array.from(document.querySelectorAll('.near'))
            .map(e => e.getAttribute('data-v'))))""")
        check(near == ["2"], f"pointed at: {near}")

        browser.open(page, width=400)
        cut = browser.js("""Array.from(document.querySelectorAll('figure'))
            .filter(f => f.scrollWidth > f.clientWidth + 1).length""")
        check(cut == 0, f"{cut} pictures are cut at 400 pixels")
        browser.open(page, width=360, dark=True)
        wide = browser.js("document.documentElement.scrollWidth")
        check(wide <= 360, f"{wide} pixels wide on a phone")
        paper = browser.js("getComputedStyle(document.body).backgroundColor")
        check(paper == "rgb(13, 17, 23)", f"dark paper is {paper}")
        asked = [e["params"]["request"]["url"] for e in browser.events
                 if e.get("method") == "Network.requestWillBeSent"]
        check(all(url.startswith("file:") for url in asked), f"the page asks for {asked}")
        thrown = [e for e in browser.events if e.get("method") == "Runtime.exceptionThrown"]
        check(not thrown, f"script errors: {thrown}")
    finally:
        browser.close()
print("the page shows what the checker says")
