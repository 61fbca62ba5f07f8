#!/usr/bin/python3
"""The same losses in PyTorch with autograd, against libucpo in the same run, one thread.

    loss_torch.py [build/dev/libucpo.so] [batch]

Prints one CSV row per setting: microseconds an instance for both, their ratio, and the largest
relative difference of loss and weights (both in float64).
"""
import ctypes
import sys
import time

import numpy as np
import torch

N = 50


def by_term(pair, winners, losers, count):
    """Mean of the pair losses where both masks hold, per instance, 0 where there is no pair."""
    mask = winners & losers
    return (pair * mask).flatten(1).sum(1) / count.clamp(min=1)


def canonical(f, v, l):
    feasible = v <= 0
    lagrangian = f + v
    any_feasible = feasible.any(1)
    key = torch.where(feasible | ~any_feasible[:, None], lagrangian, torch.inf)
    best = key.argmin(1, keepdim=True)
    pivot = lagrangian.gather(1, best)
    beta = lagrangian / pivot
    pair = torch.nn.functional.softplus(-beta * (l.gather(1, best) - l), threshold=1e9)
    other = torch.ones_like(feasible).scatter(1, best, False)
    in_t, in_f = feasible & other, ~feasible & other
    return by_term(pair, in_t, in_t, in_t.sum(1)) + by_term(pair, in_f, in_f, in_f.sum(1))


def subsets(f, v, l):
    feasible = v <= 0
    lagrangian = f + v
    win, lose = lagrangian[:, :, None], lagrangian[:, None, :]
    pair = torch.nn.functional.softplus(-(lose / win) * (l[:, :, None] - l[:, None, :]), threshold=1e9)
    ti, tj = feasible[:, :, None], feasible[:, None, :]
    nt, nf = feasible.sum(1), (~feasible).sum(1)
    better = win < lose
    margin = by_term(pair, ti, ~tj & ti, nt * nf / 2)
    primal = by_term(pair, ti & tj, better, nt * (nt - 1) / 2)
    dual = by_term(pair, ~ti & ~tj, better, nf * (nf - 1) / 2) * (nt == 0)
    return dual + margin + primal


def best_time(run, repeats=40):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    lib = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "build/dev/libucpo.so")
    batch = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    torch.set_num_threads(1)
    rng = np.random.default_rng(7)
    f = rng.uniform(20, 30, (batch, N))
    v = np.where(rng.uniform(size=(batch, N)) < 0.5, 0.0, rng.uniform(0, 5, (batch, N)))
    l = rng.normal(-30, 4, (batch, N))
    v[0] += 1.0  # one instance without a feasible trajectory
    tensors = [torch.from_numpy(a) for a in (f, v)]
    pointer = lambda a: a.ctypes.data_as(ctypes.c_void_p)
    print("setting,batch,samples,ours_us,torch_us,torch_over_ours,max_rel_diff")
    for name, function in (("ucpo", canonical), ("ucpo-subsets", subsets)):
        config, result = ctypes.create_string_buffer(512), (ctypes.c_double * 16)()
        if lib.ucpo_loss_config_parse(name.encode(), config, ctypes.c_size_t(512), None) != 0:
            sys.exit("settings refused")
        weight = np.empty_like(l)

        def ours():
            status = lib.ucpo_loss_batch(config, ctypes.c_size_t(batch), ctypes.c_size_t(N), pointer(f), pointer(v),
                                         pointer(l), 1, result, pointer(weight), None, None)
            assert status == 0

        score = torch.from_numpy(l).requires_grad_(True)

        def theirs():
            score.grad = None
            loss = function(*tensors, score).mean()
            loss.backward()
            return loss

        mine, other = best_time(ours), best_time(theirs)
        loss = theirs().item()
        difference = max(abs(result[0] - loss) / abs(loss),
                         np.abs(weight - score.grad.numpy()).max() / np.abs(weight).max())
        print(f"{name},{batch},{N},{mine / batch * 1e6:.2f},{other / batch * 1e6:.2f},{other / mine:.1f},{difference:.1e}")
        if difference > 1e-10:
            sys.exit("the two do not agree")


if __name__ == "__main__":
    main()
