"""From evaluations to a table: Markdown, CSV, LaTeX, and sentences on what agrees with the paper."""
import csv
import io
import math
import re
import statistics

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


# ---- numbers ----

FIGURES = (("inst", "Inst. %", 2), ("obj", "Obj.", 3), ("gap", "Gap %", 2))
WORDS = {"inst": "infeasible rate", "obj": "objective", "gap": "gap"}
UNITS = {"inst": " %", "obj": "", "gap": " %"}


class Cell:
    """Figures of one method on one set: mean and deviation over the seeds that are there, and the paper's."""

    def __init__(self, results, paper, asked=None):
        self.results = results
        self.asked = asked or len(results)  # seeds
        self.paper = dict(zip(("inst", "obj", "gap"), [*paper, NAN, NAN, NAN]))
        keys = {"inst": ("infeasible_instances", 100), "obj": ("mean_objective", 1),
                "gap": ("gap_ratio", 1), "gap_mean": ("gap_mean", 1),
                "sol": ("infeasible_solutions", 100)}
        self.mean, self.spread = {}, {}
        for name, (key, scale) in keys.items():
            values = [scale * r[key] for r in results if r.get(key) is not None]
            whole = values and len(values) == len(results)  # if a seed solved nothing, the others' mean says nothing
            self.mean[name] = statistics.mean(values) if whole else NAN
            self.spread[name] = statistics.stdev(values) if whole and len(values) > 1 else NAN

    def text(self, name, digits):
        if math.isnan(self.mean[name]):
            return "—"
        text = f"{self.mean[name]:.{digits}f}"
        return text if math.isnan(self.spread[name]) else f"{text} ± {self.spread[name]:.{digits}f}"

    def deviation(self, name):
        """0 if one seed does not tell."""
        return 0.0 if math.isnan(self.spread[name]) else self.spread[name]

    def seeds_text(self):
        """Nothing if all seeds are there."""
        return f", {len(self.results)} of {self.asked} seeds" if len(self.results) < self.asked else ""

    def numbers(self):
        """For CSV."""
        m, s = self.mean, self.spread
        return [len(self.results), *map(number, (m["inst"], s["inst"], m["sol"], m["obj"], s["obj"], m["gap"],
                                                 s["gap"], m["gap_mean"]))]


NUMBERS = ["seeds", "inst", "inst_sd", "sol", "obj", "obj_sd", "gap_ratio", "gap_ratio_sd", "gap_mean"]


def number(value):
    return "" if math.isnan(value) else repr(value)


def cell_of(evaluations, paper):
    """None if no seed is there."""
    results = [e.result for e in evaluations if e.result]
    return Cell(results, paper, len(evaluations)) if results else None


def lkh_cell(a_set, paper):
    if not a_set.lkh:
        return None
    numbers = {"infeasible_instances": a_set.lkh_failures / len(a_set.lkh),
               "mean_objective": statistics.mean(a_set.lkh), "gap_ratio": 0.0, "gap_mean": 0.0}
    return Cell([numbers], paper)


def collect(table, sets, evaluations):
    """(row, set) -> Cell, or None where LKH is not to be had or all results are missing."""
    cells = {}
    for row in table["row"]:
        for a_set in sets:
            key, paper = (row["name"], a_set.preset), row.get("paper", {}).get(a_set.preset, [])
            if row.get("kind") == "lkh":
                cells[key] = lkh_cell(a_set, paper)
            elif key in evaluations:
                cells[key] = cell_of([seed[-1] for seed in evaluations[key]], paper)
    return cells


def shown_figures(table):
    """Figures the paper prints in this table."""
    return [f for f in FIGURES if f[0] in table.get("figures", ["inst", "obj", "gap"])]


def needs_reference(table):
    """Whether it shows gaps, or LKH's row."""
    return (any(name == "gap" for name, _, _ in shown_figures(table))
            or any(row.get("kind") == "lkh" for row in table["row"]))


# ---- what agrees ----

def second_figure(table):
    """What methods are ordered by besides the infeasible rate."""
    return [name for name, _, _ in shown_figures(table) if name != "inst"][-1]


def solves_half(cell):
    """Whether a mean over solved instances speaks of the set, here and in the paper."""
    return cell.mean["inst"] <= 50 and not cell.paper["inst"] > 50


def order_sentence(table, a_set, cells, name):
    """In how many pairs of methods ours stand in the paper's order, or no further apart than our seeds are."""
    rows = [cells[r["name"], a_set.preset] for r in table["row"]
            if r.get("kind") != "lkh" and cells.get((r["name"], a_set.preset))]
    known = [c for c in rows if not math.isnan(c.paper[name]) and not math.isnan(c.mean[name])]
    rows = known if name == "inst" else [c for c in known if solves_half(c)]
    agree = differ = tied = 0
    for i, a in enumerate(rows):
        for b in rows[i + 1:]:
            theirs, ours = a.paper[name] - b.paper[name], a.mean[name] - b.mean[name]
            if theirs == 0:
                continue
            near = is_close(a, b, name)
            agree += theirs * ours > 0 and not near
            differ += theirs * ours < 0 and not near
            tied += near
    total, out = agree + differ + tied, len(known) - len(rows)
    without = (f" ({out} {plural(out, 'method')} left out: {plural(out, 'it solves', 'they solve')} under half "
               "of the instances)" if out else "")
    if total == 0:
        return f"by {WORDS[name]} there is nothing to compare{without}"
    closeness = "no further apart than our seeds" if any(len(c.results) > 1 for c in rows) else "equal with us"
    equal = f", {tied} {plural(tied, 'is', 'are')} {closeness}" if tied else ""
    return (f"by {WORDS[name]} {agree} of {total} {plural(total, 'pair')} of methods "
            f"{plural(agree, 'stands', 'stand')} in the paper's order, {differ} in the other{equal}{without}")


def plural(count, one, many=None):
    return one if count == 1 else many or one + "s"


def gain_sentences(table, a_set, cells):
    """Each row against the one it is `over`, decoded alike."""
    result = []
    for row in table["row"]:
        tuned, base = (cells.get((row.get(k), a_set.preset)) for k in ("name", "over"))
        if not tuned or not base:
            continue
        parts = [f"{against(tuned, base, name)}: {judged(tuned, base, name, 'better', 'worse')}"
                 for name in ("inst", second_figure(table)) if is_comparable(tuned, base, name)]
        if parts:
            result.append(f"{a_set.name}: {row['name']} against {row['over']}: {'; '.join(parts)}.")
    return result


def is_comparable(a, b, name):
    return (not math.isnan(a.mean[name]) and not math.isnan(b.mean[name])
            and (name == "inst" or (solves_half(a) and solves_half(b))))


def is_close(a, b, name):
    """Whether two means are equal, or no further apart than their seeds spread."""
    return abs(a.mean[name] - b.mean[name]) <= math.hypot(a.deviation(name), b.deviation(name))


def judged(a, b, name, less, more):
    if a.mean[name] == b.mean[name]:
        return "equal"
    if is_close(a, b, name):
        return "no further apart than our seeds"
    return less if a.mean[name] < b.mean[name] else more


def against(a, b, name):
    digits = next(d for n, _, d in FIGURES if n == name)
    texts = [f"{cell.text(name, digits)}{UNITS[name]}{cell.seeds_text()}" for cell in (a, b)]
    return f"{WORDS[name]} {texts[0]} against {texts[1]}"


def sentences(table, sets, cells):
    """Of each set the orders of the paper, then the rows that say what they are `over`."""
    ours = [row["name"] for row in table["row"] if row.get("kind") != "lkh"]
    there = [s for s in sets if any(cells.get((name, s.preset)) for name in ours)]
    result = []
    for a_set in there:
        if has_paper(table):
            orders = [order_sentence(table, a_set, cells, name) for name in ("inst", second_figure(table))]
            result.append(f"{a_set.name}: {'; '.join(orders)}.")
        result += gain_sentences(table, a_set, cells)
    return result


def bullets(texts):
    return [f"- {text}" for text in texts] or ["Nothing to compare."]


# ---- text ----

def has_paper(table):
    return any("paper" in row for row in table["row"])


def seeds_fact(table, budget, seeds):
    """How many, and of what."""
    text = f"{len(seeds)} {plural(len(seeds), 'seed')}"
    if "base_seed" not in budget:
        return text + (" of all that is trained" if len(seeds) > 1 else "")
    text += f" of the fine-tuning on one base (seed {budget['base_seed']})"
    if any("train" in row and "tune" not in row for row in table["row"]):
        text += f"; rows trained from nothing: seed {budget['base_seed']}"
    return text


def parts_fact(table, budget, seeds, evaluations):
    """In what this is not the table as it is defined; nothing if it is."""
    words = []
    if table.get("left_out"):
        words.append(f"without {', '.join(table['left_out'])} (--sets)")
    if set(seeds) != set(budget["seeds"]):
        names = [", ".join(map(str, each)) for each in (seeds, budget["seeds"])]
        words.append(f"{plural(len(seeds), 'seed')} {names[0]} instead of {names[1]} (--seeds)")
    everything = [e for found in evaluations.values() for seed in found for e in seed]
    missing = sum(not e.result for e in everything)
    if missing:
        words.append(f"{missing} of {len(everything)} results {plural(missing, 'is', 'are')} missing (--so-far)")
    return f"A part, not the table as it is defined: {'; '.join(words)}." if words else ""


def shares_fact(table, budget):
    """Rows whose fine-tuning is longer or shorter than the others'."""
    if "tune" not in budget:
        return ""
    count = count_of(budget["tune"])
    words = [f"{row['name']} {max(1, round(row['share'] * count)):,}" for row in table["row"] if "share" in row]
    return f" ({', '.join(words)})" if words else ""


def facts(table, budget_name, sets, seeds):
    budget = table["budget"][budget_name]
    amount = lambda key: f"{budget[key]} instances" if key in budget else "the published number of epochs"
    tunes = any("tune" in row for row in table["row"])
    meaning = {"inst": "Inst. %: instances without a feasible candidate",
               "obj": "Obj.: mean over solved instances",
               "gap": "Gap %: 100 (mean objective of solved instances / mean reference of all - 1), the paper's"}
    figures = [name for name, _, _ in shown_figures(table)]
    lines = [f"Budget {budget_name}: every base and cold start {amount('base')}"
             + (f", every fine-tuning {amount('tune')}{shares_fact(table, budget)}" if tunes else "")
             + f"; first {budget['count']} instances of each set; {seeds_fact(table, budget, seeds)}"
             + (f"; `{budget['options']}`" if budget.get("options") else "") + ".",
             ("Ours first, the paper's number in brackets. " if has_paper(table) else "")
             + "; ".join(meaning[name] for name in figures) + "; —: a seed solved nothing."]
    if "gap" in figures:
        lines.append("Gaps against: " + "; ".join(s.head for s in sets) + ".")
    resized = [f"{s.preset} with {s.size} nodes" for s in sets if not s.is_preset]
    if resized:
        lines.append("Smaller than published, so nothing here says anything about the method: "
                     + ", ".join(resized) + ".")
    if "note" in table:
        lines.append(table["note"].strip())
    return lines


def table_text(row, a_set, cells, name, digits):
    """Ours, the paper's in brackets."""
    key = row["name"], a_set.preset
    cell = cells.get(key)
    theirs = dict(zip(("inst", "obj", "gap"), row.get("paper", {}).get(a_set.preset, []))).get(name, NAN)
    if cell:
        ours = cell.text(name, digits)
    elif row.get("kind") == "lkh" and a_set.digest:
        ours = "no stored costs, no LKH"
    else:
        ours = "not run" if key in cells else ""
    return (f"{ours}" + ("" if math.isnan(theirs) else f" ({theirs:.2f})") + (cell.seeds_text() if cell else "")).strip()


def markdown(table, sets, cells, head):
    figures = shown_figures(table)
    heads = [f"{s.name} {title}" for s in sets for _, title, _ in figures]
    out = [f"# {table['title']}", "", f"{table['paper']} of the paper.", "", *(line + "\n" for line in head),
           "| method | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads)]
    for row in table["row"]:
        texts = [table_text(row, s, cells, name, digits) for s in sets for name, _, digits in figures]
        out.append(f"| {row['name']} | " + " | ".join(texts) + " |")
    return out + ["", "## What agrees", "", *bullets(sentences(table, sets, cells))]


def comma_separated(table, sets, cells):
    rows = [["set", "method", *NUMBERS, "paper_inst", "paper_obj", "paper_gap"]]
    for a_set in sets:
        for row in table["row"]:
            cell = cells.get((row["name"], a_set.preset))
            if cell:
                rows.append([a_set.name, row["name"], *cell.numbers(),
                             *(number(cell.paper[name]) for name in ("inst", "obj", "gap"))])
    return rows


def tex(text):
    return (text.replace("\\", r"\textbackslash ").replace("&", r"\&").replace("%", r"\%")
            .replace("_", r"\_").replace("^", r"\^{}").replace("β", r"$\beta$").replace("λ", r"$\lambda$")
            .replace("—", "--").replace("×", r"$\times$").replace("±", r"$\pm$"))


def tex_line(texts):
    return " & ".join(map(tex, texts)) + r" \\"


def latex(table, sets, cells):
    figures = shown_figures(table)
    out = ["% ours, the paper's number in brackets" if has_paper(table) else "% ours",
           r"\begin{tabular}{l" + "r" * len(figures) * len(sets) + "}", r"\hline"]
    out.append(" & ".join(["Method"] + [rf"\multicolumn{{{len(figures)}}}{{c}}{{{tex(s.name)}}}"
                                        for s in sets]) + r" \\")
    out.append(tex_line([""] + [title for _ in sets for _, title, _ in figures]) + r" \hline")
    for row in table["row"]:
        out.append(tex_line([row["name"]] + [table_text(row, s, cells, name, digits)
                                             for s in sets for name, _, digits in figures]))
    return out + [r"\hline", r"\end{tabular}"]


# ---- curves ----

def curve_cells(table, sets, evaluations):
    """(row, set) -> (number of the point, instances, Cell), for the points that are there."""
    cells = {}
    for a_set in sets:
        for row in table["row"]:
            key = row["name"], a_set.preset
            points = [(k, point[0].at, cell_of(point, [])) for k, point in enumerate(zip(*evaluations.get(key, [])))]
            cells[key] = [each for each in points if each[2]]
    return cells


def curve_sentences(table, sets, cells):
    """Each row against the one it is `over`, at the last point that both have."""
    result = []
    for a_set in sets:
        for row in table["row"]:
            ours, other = ({k: (at, cell) for k, at, cell in cells.get((row.get(which), a_set.preset), [])}
                           for which in ("name", "over"))
            both = sorted(ours.keys() & other.keys())
            if both:
                (at, a), (_, b) = ours[both[-1]], other[both[-1]]
                words = [verdict(a, b, name) for name in ("inst", "gap")]
                result.append(f"{a_set.name}, after {at} instances: {row['name']} against {row['over']}: "
                              f"{'; '.join(words)}.")
    return result


def verdict(ours, other, name):
    if not is_comparable(ours, other, name):
        return f"{WORDS[name]}: nothing to compare"
    return f"{against(ours, other, name)}: {judged(ours, other, name, 'agrees', 'does not agree')}"


def curve_lines(table, sets, cells):
    """Texts of set, method, instances and the three figures."""
    return [[a_set.name, row["name"], str(at)]
            + [cell.text(name, digits) + cell.seeds_text() for name, _, digits in FIGURES]
            for a_set in sets for row in table["row"] for _, at, cell in cells[row["name"], a_set.preset]]


def curve_markdown(table, sets, cells, head):
    return [f"# {table['title']}", "", f"{table['paper']} of the paper; its source has the picture only, no numbers.", "",
            *(line + "\n" for line in head),
            "| set | method | instances of fine-tuning | Inst. % | Obj. | Gap % |", "|---|---|---|---|---|---|",
            *("| " + " | ".join(line) + " |" for line in curve_lines(table, sets, cells)),
            "", "## What agrees", "", "The paper: more of the old training changes little, UCPO gains much, at once.", "",
            *bullets(curve_sentences(table, sets, cells))]


def curve_csv(table, sets, cells):
    return [["set", "method", "instances", *NUMBERS]] + [
        [a_set.name, row["name"], at, *cell.numbers()]
        for a_set in sets for row in table["row"] for _, at, cell in cells[row["name"], a_set.preset]]


def curve_latex(table, sets, cells):
    return [r"\begin{tabular}{llrrrr}", r"\hline",
            r"Set & Method & Instances & Inst.\ \% & Obj. & Gap \% \\ \hline",
            *map(tex_line, curve_lines(table, sets, cells)), r"\hline", r"\end{tabular}"]


def write(table, budget_name, sets, seeds, evaluations, out):
    """Writes the table in three forms and returns their paths."""
    part = parts_fact(table, table["budget"][budget_name], seeds, evaluations)
    head = facts(table, budget_name, sets, seeds) + ([part] if part else [])
    if table.get("points"):
        cells = curve_cells(table, sets, evaluations)
        forms = curve_markdown(table, sets, cells, head), curve_csv(table, sets, cells), curve_latex(table, sets, cells)
    else:
        cells = collect(table, sets, evaluations)
        forms = markdown(table, sets, cells, head), comma_separated(table, sets, cells), latex(table, sets, cells)
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(forms[1])
    comments = [f"% {part}"] if part else []  # CSV has no comments: its name says it
    texts = {".md": "\n".join(forms[0]) + "\n", ".csv": stream.getvalue(),
             ".tex": "\n".join(comments + forms[2]) + "\n"}
    stem = f"{table['name']}-{budget_name}" + ("-part" if part else "")
    for ending, text in texts.items():
        (out / (stem + ending)).write_text(text)
    return [out / (stem + ending) for ending in texts]
