#!/usr/bin/env python3
"""What the Python package costs over the C library: python_overhead.py [PROGRAM]

Import, the loss at B = 64, N = 50 (the C call alone and ucpo.torch.ucpo_loss), and solve_many of 1000 instances against
`ucpo solve` on the same file. Processor time; the best of several rounds. $UCPO_LIBRARY names the library as usual.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time


def best(work, calls, rounds=30):
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(calls):
            work()
        times.append((time.process_time() - begin) / calls)
    return min(times)


def import_time():
    code = "import time; t = time.process_time(); import ucpo; print(time.process_time() - t)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
               for _ in range(7))


def loss_times():
    import torch

    from ucpo._loss import run, settings_of
    from ucpo.torch import ucpo_loss

    torch.set_num_threads(1)
    torch.manual_seed(1)
    ll, f = torch.randn(64, 50).requires_grad_(), torch.rand(64, 50) + 5
    v = torch.relu(torch.randn(64, 50))
    score, f64, v64 = ll.detach().double() / 50, f.double(), v.double()
    weight, settings = torch.empty_like(score), settings_of("ucpo", {})
    bare = best(lambda: run(settings, 64, 50, f64.data_ptr(), v64.data_ptr(), score.data_ptr(), weight.data_ptr(), 1), 50)
    return bare, best(lambda: ucpo_loss(ll, f, v, nodes=50), 50)


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def many_times(program, rounds=2):
    import ucpo

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "set.json")
        ucpo.generate("tsptw", 20, count=1000, level="hard").write(path)
        ours, theirs = [], []
        for _ in range(rounds):  # in turns
            begin = time.process_time()
            ucpo.solve_many(ucpo.read(path), samples=4, refine=False, threads=1)
            ours.append(time.process_time() - begin)
            begin = children()
            subprocess.run([program, "solve", path, "-n", "4", "--no-refine", "--threads", "1", "--explain", "never",
                            "-o", os.path.join(folder, "plans.json")], check=True,
                           capture_output=True)
            theirs.append(children() - begin)
    return min(ours), min(theirs)


def main():
    print(f"import ucpo            {1e3 * import_time():.0f} ms")
    bare, whole = loss_times()
    print(f"loss, C call alone     {1e6 * bare:.0f} us")
    print(f"ucpo.torch.ucpo_loss   {1e6 * whole:.0f} us ({1e6 * (whole - bare):.0f} us above the C call)")
    if len(sys.argv) > 1:
        ours, theirs = many_times(sys.argv[1])
        print(f"solve_many, 1000       {ours:.2f} s, program {theirs:.2f} s ({100 * (ours / theirs - 1):+.1f} %)")


if __name__ == "__main__":
    main()
