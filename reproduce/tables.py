"""From evaluations to a table: Markdown, CSV, LaTeX, and sentences on what agrees with the paper."""
import ast
import csv
import io
import math
import pathlib
import re
import statistics
import struct

NAN = float("nan")


def count_of(text):
    """"5k" -> 5000."""
    number, unit = re.fullmatch(r"([0-9.]+)([kM]?)", str(text)).groups()
    return round(float(number) * {"": 1, "k": 1e3, "M": 1e6}[unit])


def duration(seconds):
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172800 else f"{seconds / 86400:.0f} days"


# ---- files of NumPy, without NumPy ----

def read_npy(path):
    """Flat list of numbers, and the shape."""
    data = pathlib.Path(path).read_bytes()
    assert data[:6] == b"\x93NUMPY", path
    wide = data[6] > 1
    length = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
    start = 8 + (4 if wide else 2)
    header = ast.literal_eval(data[start:start + length].decode("latin1"))
    code = {"<f4": "f", "<f8": "d"}[header["descr"]]
    shape, begin = header["shape"], start + length
    return list(struct.unpack_from(f"<{math.prod(shape)}{code}", data, begin)), shape


def count_placeholders(instances, costs):
    """Instances LKH did not solve: stored is the length of the order 0, 1, 2, ... instead."""
    values, (_, n, width) = read_npy(instances)
    top = max(values[0:width * n:width])
    unit = 100.0 if top > 1.5 else 1.0  # the published sets live in the square of 1 or of 100
    failures = 0
    for i, cost in enumerate(costs):
        at = i * n * width
        points = [(values[at + j * width], values[at + j * width + 1]) for j in range(n)]
        identity = sum(math.dist(a, b) for a, b in zip(points, points[1:] + points[:1])) / unit
        failures += abs(identity - cost) < 1e-4 * identity
    return failures


# ---- numbers ----

class Cell:
    """Figures of one method on one set: mean and deviation over seeds, and the paper's."""

    def __init__(self, results, paper):
        self.results = results
        self.paper = dict(zip(("inst", "obj", "gap"), [*paper, NAN, NAN, NAN]))
        keys = {"inst": ("infeasible_instances", 100), "obj": ("mean_objective", 1),
                "gap": ("gap_ratio", 1), "gap_mean": ("gap_mean", 1),
                "sol": ("infeasible_solutions", 100)}
        self.mean, self.spread = {}, {}
        for name, (key, scale) in keys.items():
            values = [scale * r[key] for r in results if r.get(key) is not None]
            whole = values and len(values) == len(results)  # a mean over some seeds only says nothing
            self.mean[name] = statistics.mean(values) if whole else NAN
            self.spread[name] = statistics.stdev(values) if whole and len(values) > 1 else NAN

    def text(self, name, digits, sign="±"):
        if math.isnan(self.mean[name]):
            return "—"
        text = f"{self.mean[name]:.{digits}f}"
        return text if math.isnan(self.spread[name]) else f"{text} {sign} {self.spread[name]:.{digits}f}"


def paper_text(value, digits):
    return "" if math.isnan(value) else f"{value:.{digits}f}"


FIGURES = (("inst", "Inst. %", 2), ("obj", "Obj.", 3), ("gap", "Gap %", 2))


def lkh_cell(a_set, paper):
    if not a_set.lkh:
        return None
    numbers = {"infeasible_instances": a_set.lkh_failures / len(a_set.lkh),
               "mean_objective": statistics.mean(a_set.lkh), "gap_ratio": 0.0, "gap_mean": 0.0}
    return Cell([numbers], paper)


def collect(table, sets, evaluations):
    """(row, set) -> Cell, or None where LKH is not to be had or a result is missing."""
    cells = {}
    for row in table["row"]:
        for a_set in sets:
            paper = row.get("paper", {}).get(a_set.preset, [])
            if row.get("kind") == "lkh":
                cells[row["name"], a_set.preset] = lkh_cell(a_set, paper)
            elif (row["name"], a_set.preset) in evaluations:
                found = evaluations[row["name"], a_set.preset]
                is_there = all(seed[-1].is_done() for seed in found)  # all are, but for --so-far
                results = [seed[-1].result() for seed in found] if is_there else []
                cells[row["name"], a_set.preset] = Cell(results, paper) if is_there else None
    return cells


# ---- what agrees ----

def order_sentence(table, a_set, cells, name, word):
    """In how many pairs of methods ours stand in the paper's order."""
    rows = [cells[r["name"], a_set.preset] for r in table["row"]
            if r.get("kind") != "lkh" and cells.get((r["name"], a_set.preset))]
    rows = [c for c in rows if not math.isnan(c.paper[name]) and not math.isnan(c.mean[name])]
    agree = differ = tied = 0
    for i, a in enumerate(rows):
        for b in rows[i + 1:]:
            theirs, ours = a.paper[name] - b.paper[name], a.mean[name] - b.mean[name]
            if theirs == 0:
                continue
            agree += theirs * ours > 0
            differ += theirs * ours < 0
            tied += ours == 0
    total = agree + differ + tied
    if total == 0:
        return f"by {word} there is nothing to compare"
    equal = f", {tied} are equal with us" if tied else ""
    return f"by {word} {agree} of {total} pairs of methods stand in the paper's order, {differ} in the other{equal}"


def gain_sentence(table, a_set, cells):
    """Each row against the one it is `over`, decoded alike."""
    parts = []
    for row in table["row"]:
        tuned, base = (cells.get((row.get(k), a_set.preset)) for k in ("name", "over"))
        if not tuned or not base:
            continue
        for name, word in (("inst", "infeasible rate"), ("gap", "gap")):
            if not (math.isnan(tuned.mean[name]) or math.isnan(base.mean[name])):
                parts.append(f"{row['name']} against {row['over']}: {word} {tuned.text(name, 2)} % "
                             f"against {base.text(name, 2)} %")
    return f"Under the same decoding, {'; '.join(parts)}." if parts else ""


def sentences(table, sets, cells):
    result = []
    for a_set in sets:
        gain = gain_sentence(table, a_set, cells)
        if not has_paper(table):
            result.append(f"{a_set.name}: {gain}")
            continue
        has_gap = any(not math.isnan(c.paper["gap"]) for (_, s), c in cells.items()
                      if c and s == a_set.preset)
        second = ("gap", "gap") if has_gap else ("obj", "objective")
        text = "; ".join([order_sentence(table, a_set, cells, "inst", "infeasible rate"),
                          order_sentence(table, a_set, cells, *second)])
        result.append(f"{a_set.name}: {text}.{' ' + gain if gain else ''}")
    return result


# ---- text ----

def has_paper(table):
    return any("paper" in row for row in table["row"])


def facts(table, budget_name, sets, seeds):
    budget = table["budget"][budget_name]
    amount = lambda key: f"{budget[key]} instances" if key in budget else "the published number of epochs"
    tunes = any("tune" in row for row in table["row"])
    lines = [f"Budget {budget_name}: every base and cold start {amount('base')}"
             + (f", every fine-tuning {amount('tune')}" if tunes else "")
             + f"; first {budget['count']} instances of each set; {seeds} seed{'s' if seeds > 1 else ''}"
             + (f"; `{budget['options']}`" if budget.get("options") else "") + ".",
             ("Ours first, the paper's number in brackets. " if has_paper(table) else "") +
             "Inst. %: instances without a feasible candidate; "
             "Obj.: mean over solved instances; Gap %: 100 (mean Obj. / mean reference over all - 1), the paper's.",
             "Gaps against: " + "; ".join(s.head for s in sets) + "."]
    if table.get("left_out"):
        lines.append(f"A part of the table (--sets); without: {', '.join(table['left_out'])}.")
    resized = [f"{s.preset} with {s.size} nodes" for s in sets if not s.is_preset]
    if resized:
        lines.append("Smaller than published, so nothing here says anything about the method: "
                     + ", ".join(resized) + ".")
    if "note" in table:
        lines.append(table["note"].strip())
    return lines


def shown_figures(table):
    """Figures the paper prints in this table."""
    return [f for f in FIGURES if f[0] in table.get("figures", ["inst", "obj", "gap"])]


def markdown(table, budget, sets, cells, seeds):
    figures = shown_figures(table)
    out = [f"# {table['title']}", "", f"{table['paper']} of the paper.", ""]
    out += [line + "\n" for line in facts(table, budget, sets, seeds)]
    heads = [f"{s.name} {title}" for s in sets for _, title, _ in figures]
    out += ["| method | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads)]
    for row in table["row"]:
        texts = []
        for a_set in sets:
            cell = cells.get((row["name"], a_set.preset))
            for name, _, digits in figures:
                if not cell:
                    paper = row.get("paper", {}).get(a_set.preset, [])
                    theirs = dict(zip(("inst", "obj", "gap"), paper)).get(name, NAN)
                    is_asked = (row["name"], a_set.preset) in cells
                    ours = ("no stored costs, no LKH" if row.get("kind") == "lkh" else
                            "not run" if is_asked else "")
                else:
                    theirs, ours = cell.paper[name], cell.text(name, digits)
                theirs = paper_text(theirs, 2)
                texts.append(f"{ours} ({theirs})" if theirs else ours)
        out.append(f"| {row['name']} | " + " | ".join(texts) + " |")
    out += ["", "## What agrees", ""] + [f"- {s}" for s in sentences(table, sets, cells)]
    return "\n".join(out) + "\n"


def comma_separated(table, sets, cells):
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["set", "method", "seeds", "inst", "inst_sd", "sol", "obj", "obj_sd", "gap_ratio",
                     "gap_ratio_sd", "gap_mean", "paper_inst", "paper_obj", "paper_gap"])
    number = lambda value: "" if math.isnan(value) else repr(value)
    for a_set in sets:
        for row in table["row"]:
            cell = cells.get((row["name"], a_set.preset))
            if not cell:
                continue
            m, s, p = cell.mean, cell.spread, cell.paper
            writer.writerow([a_set.name, row["name"], len(cell.results), *map(number, (
                m["inst"], s["inst"], m["sol"], m["obj"], s["obj"], m["gap"], s["gap"], m["gap_mean"],
                p["inst"], p["obj"], p["gap"]))])
    return stream.getvalue()


def tex(text):
    return (text.replace("\\", r"\textbackslash ").replace("&", r"\&").replace("%", r"\%")
            .replace("_", r"\_").replace("^", r"\^{}").replace("β", r"$\beta$").replace("λ", r"$\lambda$")
            .replace("—", "--").replace("×", r"$\times$"))


def latex(table, sets, cells):
    figures = shown_figures(table)
    out = ["% ours, the paper's number in brackets",
           r"\begin{tabular}{l" + "r" * len(figures) * len(sets) + "}", r"\hline"]
    out.append(" & ".join(["Method"] + [rf"\multicolumn{{{len(figures)}}}{{c}}{{{tex(s.name)}}}"
                                        for s in sets]) + r" \\")
    out.append(" & ".join([""] + [tex(title) for _ in sets for _, title, _ in figures]) + r" \\ \hline")
    for row in table["row"]:
        texts = [tex(row["name"])]
        for a_set in sets:
            cell = cells.get((row["name"], a_set.preset))
            for name, _, digits in figures:
                paper = row.get("paper", {}).get(a_set.preset, [])
                theirs = paper_text(dict(zip(("inst", "obj", "gap"), paper)).get(name, NAN), 2)
                ours = tex(cell.text(name, digits, "+-")).replace("+-", r"$\pm$") if cell else "--"
                texts.append(f"{ours} ({theirs})" if theirs else ours)
        out.append(" & ".join(texts) + r" \\")
    return "\n".join(out + [r"\hline", r"\end{tabular}"]) + "\n"


# ---- curves ----

def curve_rows(table, sets, evaluations):
    """One line per method, set and point: instances, infeasible rate, objective (means over seeds)."""
    lines = []
    for a_set in sets:
        for row in table["row"]:
            found = evaluations.get((row["name"], a_set.preset), [])
            for points in zip(*found):
                if not all(p.is_done() for p in points):  # --so-far
                    continue
                cell = Cell([p.result() for p in points], [])
                lines.append((a_set, row["name"], points[0].at, cell))
    return lines


def write_curves(table, budget, sets, evaluations, stem):
    lines = curve_rows(table, sets, evaluations)
    seeds = max(len(found) for found in evaluations.values())
    out = [f"# {table['title']}", "", f"{table['paper']} of the paper; its source has the picture only, no numbers.", ""]
    out += [line + "\n" for line in facts(table, budget, sets, seeds)]
    out += ["| set | method | instances of fine-tuning | Inst. % | Obj. | Gap % |", "|---|---|---|---|---|---|"]
    rows = [["set", "method", "instances", "inst", "obj", "gap_ratio"]]
    body = []
    for a_set, name, at, cell in lines:
        texts = [cell.text("inst", 2), cell.text("obj", 3), cell.text("gap", 2)]
        out.append(f"| {a_set.name} | {name} | {at} | " + " | ".join(texts) + " |")
        rows.append([a_set.name, name, at, *(repr(cell.mean[k]) for k in ("inst", "obj", "gap"))])
        body.append(" & ".join([tex(a_set.name), tex(name), str(at)] + [tex(t) for t in texts]) + r" \\")
    last = {(s.preset, name): cell for s, name, _, cell in lines}
    out += ["", "## What agrees", "", "The paper: more of the old training changes little, UCPO gains much, at once.", ""]
    for a_set in sets:
        for row in table["row"]:
            ours, other = last.get((a_set.preset, row["name"])), last.get((a_set.preset, row.get("over")))
            if not ours or not other:
                continue
            words = [f"{word} {ours.text(k, 2)} against {other.text(k, 2)}"
                     for k, word in (("inst", "infeasible"), ("gap", "gap"))]
            verdict = "agrees" if better_everywhere(ours, other) else "does not agree"
            out.append(f"- {a_set.name}: {row['name']} against {row['over']}: {', '.join(words)}: {verdict}.")
    stem.with_suffix(".md").write_text("\n".join(out) + "\n")
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    stem.with_suffix(".csv").write_text(stream.getvalue())
    stem.with_suffix(".tex").write_text("\n".join(
        [r"\begin{tabular}{llrrrr}", r"\hline", r"Set & Method & Instances & Inst.\ \% & Obj. & Gap \% \\ \hline",
         *body, r"\hline", r"\end{tabular}"]) + "\n")


def better_everywhere(ours, other):
    """No figure worse, one better; figures that do not exist say nothing."""
    pairs = [(ours.mean[k], other.mean[k]) for k in ("inst", "gap")]
    pairs = [(a, b) for a, b in pairs if not math.isnan(a) and not math.isnan(b)]
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def write(table, budget, sets, evaluations, out):
    """Writes the table in three forms and returns their paths."""
    stem = out / f"{table['name']}-{budget}"
    if table.get("points"):
        write_curves(table, budget, sets, evaluations, stem)
    else:
        cells = collect(table, sets, evaluations)
        seeds = max(len(found) for found in evaluations.values())
        stem.with_suffix(".md").write_text(markdown(table, budget, sets, cells, seeds))
        stem.with_suffix(".csv").write_text(comma_separated(table, sets, cells))
        stem.with_suffix(".tex").write_text(latex(table, sets, cells))
    return [stem.with_suffix(ending) for ending in (".md", ".csv", ".tex")]
