"""Speed of the PyTorch peer: CSV rows "peer,work,mask,n,threads,instances per second, instances per
processor second".

    bench_torch.py [n]              all thread settings, each in a process of its own
    bench_torch.py n TORCH BLAS     one setting: threads of PyTorch and of the BLAS under it

Training: one batch of 64, n samples each, UCPO loss, autograd, Adam. Inference: no_grad, 8 images x
n samples. Best of a few repeats. The mask "formula" is the look-ahead as the published code
computes it (one thread only); "lookahead" is the same mask with less work.
"""
import os
import subprocess
import sys
import time

SETTINGS = ((1, 1), (2, 2), (2, 1))
BATCH, INFERENCE_BATCH = 64, 8


def generate(count, n):
    """TSPTW medium: windows start before 55 n, a tenth to a fifth of that long; side 100."""
    import torch
    horizon = 55 * n
    x, y = 100 * torch.rand(2, count, n)
    ready = torch.randint(0, horizon, (count, n)).float()
    due = ready + (horizon * (0.1 + 0.1 * torch.rand(count, n))).round()
    ready[:, 0], due[:, 0] = 0, 2 * horizon
    return {"x": x, "y": y, "ready": ready, "due": due, "service": torch.zeros(count, n),
            "unit": torch.full((count,), 100.0), "tolerance": torch.full((count,), 1e-3)}


def best_rates(work, count, repeats, seconds=8.0):
    """Instances per second (wall, processor) of the fastest of some repeats; stops early if they
    take long."""
    wall = processor = 0.0
    begin = time.perf_counter()
    for _ in range(repeats):
        start = time.perf_counter(), time.process_time()
        work()
        end = time.perf_counter(), time.process_time()
        wall = max(wall, count / (end[0] - start[0]))
        processor = max(processor, count / (end[1] - start[1]))
        if end[0] - begin > seconds:
            break
    return f"{wall:.3f},{processor:.3f}"


def measure(n, threads):
    import torch

    import pomo_torch as peer
    torch.manual_seed(1)
    torch.set_num_threads(threads)
    model = peer.Model("tsptw")
    optimiser = torch.optim.Adam(model.parameters(), 1e-4, weight_decay=1e-6)
    training, testing = (peer.Tsptw(generate(count, n), n) for count in (BATCH, INFERENCE_BATCH))
    peer.train_step(model, optimiser, training, "soft")  # warm up
    for mask in ("soft", "lookahead", "formula")[:3 if threads == 1 else 2]:
        peer.Tsptw.lookahead = "formula" if mask == "formula" else "bound"
        kind = "soft" if mask == "soft" else "lookahead"
        rates = best_rates(lambda: peer.train_step(model, optimiser, training, kind), BATCH, 3)
        print(f"peer,train,{mask},{n},{threads},{rates}", flush=True)
        rates = best_rates(lambda: peer.infer(model, testing, kind), INFERENCE_BATCH, 3)
        print(f"peer,infer,{mask},{n},{threads},{rates}", flush=True)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    if len(sys.argv) == 4:
        measure(n, int(sys.argv[2]))
        return
    for torch_threads, blas_threads in SETTINGS:
        environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(blas_threads),
                           OMP_NUM_THREADS=str(torch_threads), BLIS_NUM_THREADS=str(blas_threads))
        subprocess.run([sys.executable, __file__, str(n), str(torch_threads), str(blas_threads)],
                       env=environment, check=True)


if __name__ == "__main__":
    main()
