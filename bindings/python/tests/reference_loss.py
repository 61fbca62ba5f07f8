"""Every preset of the loss in plain PyTorch, one instance at a time, written from docs/loss.md."""
import math

import torch
import torch.nn.functional as F

PER_NODE = {name: name not in ("poco", "reinforce", "reinforce-norm") for name in (
    "ucpo ucpo-c ucpo-p ucpo-d ucpo-t ucpo-t-plain ucpo-beta-d ucpo-beta-p ucpo-beta-p-inverse ucpo-beta-c ucpo-subsets "
    "ucpo-subsets-mean ucpo-best-worst ucpo-argmax ucpo-dual ucpo-margin ucpo-primal bopo poco slim reinforce "
    "reinforce-norm").split()}


def pair(score, beta, a, b):
    return F.softplus(-beta * (score[a] - score[b]))


def lagrangian_beta(preset, term, f, v, a, b):
    L = f + v
    if preset == "ucpo-beta-p":
        return f[a] / f[b]
    if preset == "ucpo-beta-p-inverse":
        return f[b] / f[a]
    if preset == "ucpo-beta-c":
        return {"dual": 1.0, "margin": 0.0, "primal": f[b] / f[a]}[term]
    if term == "dual":
        return v[b] / v[a] if preset == "ucpo-beta-d" else L[b] / L[a]
    return L[b] / f[a] if term == "margin" else f[b] / f[a]


def terms(preset, f, v, score):
    """The pair losses of one instance by term."""
    N = len(f)
    everybody = list(range(N))
    feasible = {"ucpo-d": [], "poco": [], "bopo": everybody}.get(preset, [i for i in everybody if v[i] == 0])
    infeasible = [i for i in everybody if i not in feasible]
    L = f + v
    key = {"ucpo-c": v, "ucpo-p": f}.get(preset, L)
    inside_f = sorted(infeasible, key=lambda i: float(key[i]))
    inside_t = sorted(feasible, key=lambda i: float(f[i]))
    beta = lambda term, a, b: lagrangian_beta(preset, term, f, v, a, b)

    if preset.startswith("ucpo-t") and preset != "ucpo-terms":
        return tied(preset, f, v, score, inside_t, inside_f)
    found = {"dual": 0.0, "margin": 0.0, "primal": 0.0}

    def within(term, order):
        n = len(order)
        if n < 2:
            return 0.0
        if preset in ("ucpo-subsets", "ucpo-subsets-mean", "poco"):
            total = sum(pair(score, 0.05 if preset == "poco" else beta(term, a, b), a, b)
                        for i, a in enumerate(order) for b in order[i + 1:])
            return total / N ** 2 if preset == "poco" else total * 2 / (n * (n - 1))
        if preset == "ucpo-best-worst":
            return pair(score, beta(term, order[0], order[-1]), order[0], order[-1])
        if preset == "ucpo-argmax":
            return sum(pair(score, beta(term, a, order[-1]), a, order[-1]) for a in order[:-1]) / (n - 1)
        return sum(pair(score, beta(term, order[0], b), order[0], b) for b in order[1:]) / (n - 1)

    def across():
        if preset in ("ucpo-subsets", "ucpo-subsets-mean"):
            total = sum(pair(score, beta("margin", a, b), a, b) for a in inside_t for b in inside_f)
            return total * (2 if preset == "ucpo-subsets" else 1) / (len(inside_t) * len(inside_f))
        if preset == "ucpo-best-worst":
            return pair(score, beta("margin", inside_t[0], inside_f[-1]), inside_t[0], inside_f[-1])
        if preset == "ucpo-argmax":
            return sum(pair(score, beta("margin", a, inside_f[-1]), a, inside_f[-1]) for a in inside_t) / len(inside_t)
        return sum(pair(score, beta("margin", inside_t[0], b), inside_t[0], b) for b in inside_f) / len(inside_f)

    if not inside_t:
        found["dual"] = within("dual", inside_f)
    if inside_t and inside_f:
        found["margin"] = across()
    if inside_t and not (preset == "ucpo-best-worst" and inside_f):
        found["primal"] = within("primal", inside_t)
    return found


def tied(preset, f, v, score, inside_t, inside_f, a=0.1):
    order, L = inside_t + inside_f, f + v
    best, total = order[0], 0.0
    for t in order[1:]:
        beta = L[t] / L[best]
        mu = beta * (score[best] - score[t])
        if abs(float(L[t] - L[best])) > a:
            total = total + F.softplus(-beta * (score[best] - score[t] - a))
            continue
        log_p = math.log(math.exp(2 * a) - 1) - F.softplus(a + mu) - F.softplus(a - mu)
        total = total + (-log_p if preset == "ucpo-t-plain" else F.softplus(-log_p))
    return {"dual": 0.0, "margin": 0.0, "primal": total / (len(order) - 1)}


def one(preset, f, v, score):
    L = f + v
    if preset == "slim":
        order = sorted(range(len(f)), key=lambda i: (v[i] > 0, float(L[i])))
        return -score[order[0]]
    if preset.startswith("reinforce"):
        advantage = L - L.mean()
        if preset == "reinforce-norm":
            advantage = advantage / L.std(unbiased=False)
        return (advantage * score).sum() / len(f)
    found = terms(preset, f, v, score)
    if preset in ("ucpo-dual", "ucpo-margin", "ucpo-primal"):
        return found[preset[5:]]
    return sum(found.values())


def reference(preset, log_likelihood, objective, violation, nodes):
    alpha = 1.0 / nodes if PER_NODE[preset] else 1.0
    f, v = objective.double(), violation.double()
    score = log_likelihood.double() * alpha
    return sum(one(preset, *row) + 0.0 * row[2].sum() for row in zip(f, v, score)) / len(f)
