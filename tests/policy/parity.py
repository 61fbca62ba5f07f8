"""Recomputes with PyTorch what parity_dump wrote, and compares.

    parity.py DUMP DUMP_F64 [PART] [-v] [only]

DUMP is the engine in float32, DUMP_F64 its twin in float64, each run with every kernel set that the machine
has; PyTorch always works in float64, with the float32 features the engine has. All of them begin with the
same weights and nearly always choose the same trajectories, so one pass of PyTorch serves all. PART, as
2/3, takes every third case. Exit status 77 (skip) if PyTorch is missing.

UCPO_TEST_FULL=1 adds the large shapes (50 nodes and more, six layers); without it there are those of 5 to
33 nodes.

    parity.py DUMP has SET

only says (77: no) whether the machine has a kernel set, so that one it lacks is reported.
"""
import hashlib
import itertools
import os
import subprocess
import sys
import tempfile

SETS = ("portable", "avx2", "avx512", "amx")


def dump_status(program, kernels, path, options):
    return subprocess.run([program, path, *options], env={**os.environ, "UCPO_TEST_KERNELS": kernels}, check=False).returncode


def has_kernels(program, kernels):
    status = dump_status(program, kernels, os.devnull, ["n=5", "layers=1", "instances=1", "samples=1"])
    if status not in (0, 77):
        raise SystemExit(f"{program} with kernels {kernels}: exit status {status}")
    return status == 0


if len(sys.argv) == 4 and sys.argv[2] == "has":
    found = has_kernels(sys.argv[1], sys.argv[3])
    print("compared in python.parity.*" if found else f"not run: this machine lacks kernels {sys.argv[3]}")
    sys.exit(0 if found else 77)

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # small matrices: more threads only wait for each other, eight times as long

try:
    import numpy as np
    import torch
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/peers"))
import pomo_torch as peer  # noqa: E402

# How close, per precision of the engine. Log-probabilities per decision; gradients per tensor:
# see check_gradients.
BOUNDS = {
    "f4": {"encoded": 1e-5, "prob": 1e-5, "log_prob": 1e-5, "grad": 1e-4, "floor": 1e-6,
           "adam": 2e-4},
    "f8": {"encoded": 1e-12, "prob": 1e-12, "log_prob": 1e-12, "grad": 1e-10, "floor": 1e-14,
           "adam": 1e-7},
}


def bounds_of(precision, kernels):
    # Baseline x86-64 rounds twice where the other sets have one fused multiply-add: 1.24e-5 at worst
    # against their 7.2e-6. The same source compiled with -mfma gives the bits of avx2.
    more = {"encoded": 2e-5} if (precision, kernels) == ("f4", "portable") else {}
    return {**BOUNDS[precision], **more}


def cases(problems):
    """Options of parity_dump. Every problem with every mask and size; source, norm and number of
    samples vary along; shallow networks for most, full depth for a few."""
    masks = ("soft", "lookahead", "predicted")
    sources = ("policy", "forced", "random")
    seed = 0
    for problem, mask in itertools.product(problems, masks):
        for n in (5, 20, 50, 101):
            seed += 1
            few = n == 101
            yield {"problem": problem, "mask": mask, "n": n, "seed": seed,
                   "source": sources[seed % 3], "samples": (8, 1)[(seed // 3) % 2],
                   "norm": ("instance", "layer")[(seed // 2) % 2],
                   "layers": 1 if few else 2, "instances": 1 if few else 2,
                   "aux": int(mask == "predicted" or seed % 2 == 0)}
    for problem, source in itertools.product(problems, sources):  # the candidate's own deadline
        seed += 1
        yield {"problem": problem, "mask": "lookahead_own", "n": 20, "seed": seed, "layers": 1,
               "source": source, "instances": 3}
    for problem, level in (("tsptw", "hard"), ("tspdl", "hard"), ("cvrptw", "jampr")):
        seed += 1
        yield {"problem": problem, "level": level, "mask": "lookahead", "n": 50, "seed": seed,
               "layers": 1, "aux": 1}
    for problem in problems:  # full depth
        seed += 1
        yield {"problem": problem, "mask": "lookahead", "n": 50, "seed": seed, "layers": 6,
               "aux": 1, "samples": 4}
    # other widths: heads that are not 8, vectors that are not two lanes wide; portable kernels
    yield {"problem": "cvrptwlv", "n": 20, "seed": 90, "width": 96, "heads": 4, "hidden": 40}
    yield {"problem": "tsptw", "n": 20, "seed": 91, "width": 128, "heads": 16, "hidden": 64,
           "mask": "predicted", "aux": 1}
    yield {"problem": "tspdl", "n": 20, "seed": 94, "mask": "predicted_self", "aux": 1,
           "samples": 40}
    yield {"problem": "tspdl", "n": 33, "seed": 92, "width": 8, "heads": 1, "hidden": 8}
    yield {"problem": "tsptw", "n": 50, "seed": 93, "portable": 1, "mask": "lookahead", "aux": 1}
    # the side network, on every problem
    for problem, mask in itertools.product(problems, ("soft", "lookahead")):
        seed += 1
        yield {"problem": problem, "mask": mask, "n": (20, 50)[seed % 2], "seed": seed, "side": 16,
               "glimpse": seed // 2 % 2, "source": sources[seed % 3], "layers": seed % 3, "width": 32,
               "heads": 4, "hidden": 64}
    yield {"problem": "tsptw", "n": 20, "seed": 95, "portable": 1, "side": 8, "layers": 1}
    for problem, mask in itertools.product(problems, ("soft", "lookahead")):
        seed += 1
        yield {"problem": problem, "mask": mask, "n": (50, 20)[seed % 2], "seed": seed, "side": 16,
               "glimpse": 1, "source": sources[seed % 3], "layers": 1,
               "heads": (8, 8, 16)[seed % 3], "portable": int(seed % 5 == 0)}
    # features of pairs in the encoder, on every problem
    for problem, source in itertools.product(problems, sources):
        seed += 1
        yield {"problem": problem, "mask": masks[seed % 3], "n": (20, 50, 5)[seed % 3], "seed": seed,
               "pair": 1, "layers": 1 + seed % 3, "source": source, "norm": ("instance", "layer")[seed % 2],
               "aux": int(masks[seed % 3] == "predicted"), "width": (128, 64)[seed % 2],
               "heads": (8, 4, 2)[seed % 3], "hidden": 64, "instances": 1 + seed % 3}
    yield {"problem": "tsptw", "level": "hard", "n": 33, "seed": 99, "pair": 1, "portable": 1, "side": 8}
    # fixed norm, the nodes' mean in the query, time in units
    for problem, source in itertools.product(problems, sources):
        seed += 1
        yield {"problem": problem, "mask": masks[seed % 2], "n": (20, 50, 5)[seed % 3], "seed": seed,
               "source": source, "norm": "fixed", "mean": 1, "units": 1, "layers": 1 + seed % 3,
               "aux": seed % 2}
    yield {"problem": "tsptw", "n": 20, "seed": 96, "norm": "fixed", "layers": 2, "portable": 1}
    yield {"problem": "cvrptw", "n": 20, "seed": 97, "mean": 1, "instances": 3, "side": 8}
    yield {"problem": "tsptw", "n": 20, "seed": 98, "units": 1, "mask": "predicted", "aux": 1}


def is_large(case):
    return case["n"] > 33 or case.get("layers", 2) > 3


def read_dump(path):
    arrays = {}
    with open(path, "rb") as f:
        while line := f.readline():
            name, kind, *shape = line.decode().split()
            shape = [int(s) for s in shape]
            count = int(np.prod(shape))
            raw = f.read(count * int(kind[1]))
            arrays[name] = np.frombuffer(raw, kind).reshape(shape)
            if name == "params":
                arrays["precision"] = kind
    return arrays


def build_model(case, dump, params):
    model = peer.Model(case["problem"], case.get("width", 128), case.get("heads", 8),
                       case.get("hidden", 512), case.get("layers", 2),
                       case.get("norm", "instance"), aux=bool(case.get("aux", 0)),
                       mean=bool(case.get("mean", 0)),
                       side=(dump["rules"].shape[1] if "rules" in dump else 0,
                             case.get("side", 0)),
                       glimpse=bool(case.get("glimpse", 0)),
                       pairs=dump["pairs"].shape[1] if "pairs" in dump else 0).double()
    table = [line.split() for line in dump["tensors"].tobytes().decode().splitlines()]
    ours = [(name, list(p.shape)) for name, p in model.named_parameters()]
    theirs = [(name, [int(s) for s in shape[:int(rank)]]) for name, rank, *shape in table]
    assert ours == theirs, "names, order or shapes differ"
    flat = torch.from_numpy(params.astype(np.float64))
    torch.nn.utils.vector_to_parameters(flat, model.parameters())
    return model


def build_env(case, dump, samples):
    names = ("x", "y", "ready", "due", "service", "demand", "limit", "unit", "tolerance",
             "capacity", "vehicles")
    data = {name: torch.from_numpy(dump[name].copy()) for name in names}
    env = peer.ENVS[case["problem"]](data, samples)
    env.has_units = bool(case.get("units", 0))
    return env


def features_of(env):
    """Instance b is shown under symmetry b mod 8."""
    shown = [env.features(b % 8) for b in range(env.B)]
    depot = None
    if shown[0][0] is not None:
        depot = torch.stack([shown[b][0][b] for b in range(env.B)])
    return depot, torch.stack([shown[b][1][b] for b in range(env.B)])


def decisions_of(dump):
    """Features of every decision (B, N, T, n, F) from raw numbers and the rules of each instance."""
    parts = []
    for raw, rules in zip(dump["raw"].astype(np.float64), dump["rules"]):
        x, scale = raw[..., rules[:, 0].astype(int)], rules[:, 2]
        parts.append(np.where(rules[:, 1] > 0, x / (np.abs(x) + scale), np.clip(x / scale, -4, 4)))
    return torch.from_numpy(np.stack(parts))


def pairs_of(dump):
    """The engine's features of pairs (B, n, n, P), and what stands in the padding of its rows; or None."""
    if "pairs" not in dump:
        return None, 0.0
    n = dump["x"].shape[1]
    shown = dump["pairs"][:, :, :, :n].astype(np.float64).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(shown), float(np.abs(dump["pairs"][:, :, :, n:]).max(initial=0.0))


class Report:
    """Largest error of each kind, and every one that is out of bounds."""

    def __init__(self):
        self.worst, self.failures = {}, []

    def add(self, other):
        self.failures += other.failures
        for key, value in other.worst.items():
            self.worst[key] = max(self.worst.get(key, 0.0), value)

    def check(self, run, kind, error, bound, what=""):
        key = (run.precision, kind)
        self.worst[key] = max(self.worst.get(key, 0.0), float(error))
        if not error <= bound:
            self.failures.append(f"{run.precision} {run.kernels} {run.case}: {kind} {what} {error:.3g} > {bound:.3g}")


class Run:
    """What the engine wrote for a case, with one kernel set."""

    def __init__(self, program, kernels, case):
        self.case, self.kernels = case, kernels
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "dump")
            status = dump_status(program, kernels, path, [f"{k}={v}" for k, v in case.items()])
            if status:
                raise SystemExit(f"{program} {case} with kernels {kernels}: exit status {status}")
            self.dump = read_dump(path)
        self.precision = self.dump["precision"]
        self.bounds = bounds_of(self.precision, kernels)
        # what PyTorch begins with: everything that is not a result of the engine's network
        given = ("params", "predictor_params", "x", "y", "ready", "due", "service", "demand", "limit", "unit", "tolerance",
                 "capacity", "vehicles", "raw", "rules", "actions", "steps", "weight", "aux_weight0", "aux_weight1")
        digest = hashlib.sha256()
        for name in given:
            if name in self.dump:
                array = self.dump[name]
                array = array.astype(np.float64) if name.endswith("params") else array
                digest.update(name.encode() + array.tobytes())
        self.pairs, self.padding = pairs_of(self.dump)
        if self.pairs is not None:
            digest.update(self.pairs.tobytes())
        self.key = digest.digest()


def gradients_of(model, loss):
    """Name and gradient (flat, float64) of every tensor; a tensor that plays no part, or does not
    learn, has zeros."""
    learning = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    grads = torch.autograd.grad(loss, [p for _, p in learning], allow_unused=True)
    found = {name: g for (name, _), g in zip(learning, grads) if g is not None}
    return [(name, found[name].double().numpy().ravel() if name in found else np.zeros(p.numel()))
            for name, p in model.named_parameters()]


def check_gradients(report, run, kind, exact, flat):
    """Compares exact gradients with the engine's flat array, tensor by tensor: norm of the
    difference and its largest entry, each relative to the tensor's. Some tensors are small
    differences of large terms (the embedding's bias; values and mix of a layer whose attention is
    nearly even, in front of an instance norm) or zero in exact arithmetic; there the rounding error
    is that of the whole gradient, so a share of its norm is added to the bound."""
    bounds = run.bounds
    whole = np.linalg.norm(flat.astype(np.float64))
    offset = 0
    for name, theirs in exact:
        ours = flat[offset:offset + theirs.size].astype(np.float64)
        offset += theirs.size
        sizes = np.linalg.norm(theirs), np.abs(theirs).max()
        errors = np.linalg.norm(ours - theirs), np.abs(ours - theirs).max()
        floor = bounds["floor"] * whole
        for what, error, size in zip(("", " max"), errors, sizes):
            bound = bounds["grad"] * size + floor
            if floor < 0.1 * bound:  # well-conditioned
                report.check(run, kind + what, error / size, bounds["grad"], name)
            elif bound > 0:
                report.check(run, f"{kind}{what}, share of bound", error / bound, 1,
                             f"{name} (relative {error / (size or 1):.2g})")


def check_decisions(report, run, exact):
    """Masks equal, probabilities close, at every decision of every sample."""
    allowed, prob, dump = exact.allowed, exact.prob, run.dump
    T = allowed.shape[2]
    alive = np.arange(T)[None, None, :] < dump["steps"][:, :, None]
    ours = dump["prob"][:, :, :T].astype(np.float64)
    wrong = ((ours > 0) != allowed).any(3) & alive
    report.check(run, "masks that differ", wrong.sum(), 0)
    error = np.abs(ours - prob).max(3)[alive].max()
    report.check(run, "prob", error, run.bounds["prob"])


def check_adam(report, run, exact):
    """Three steps with the engine's own gradient, scaled. An entry whose gradient is noise around
    zero may step either way, so the bound is on the mean error in units of the rate."""
    pace = {"decoder.side_W1.weight": 30, "decoder.side_W1.bias": 30, "decoder.side_W2.weight": 300,
            "decoder.side_V.weight": 300}
    model, dump = build_model(run.case, run.dump, run.dump["params"]), run.dump
    pace.update({name: 30 for name, _ in model.named_parameters() if name.endswith("pair.weight")})
    groups = [{"params": [p], "lr": 1e-2 * pace.get(name, 1)}
              for name, p in model.named_parameters() if p.requires_grad]
    optimiser = torch.optim.Adam(groups, 1e-2, weight_decay=1e-2)
    flat = torch.from_numpy(dump["aux_grads" if "aux_grads" in dump else "grads"].astype(float))
    for factor in (1.0, -0.5, 2.0):
        offset = 0
        for p in model.parameters():
            p.grad = factor * flat[offset:offset + p.numel()].view_as(p)
            offset += p.numel()
        optimiser.step()
    after = torch.nn.utils.parameters_to_vector(model.parameters()).detach().numpy()
    error = np.abs(after - dump["adam_params"]).mean() / 1e-2
    report.check(run, "adam", error, run.bounds["adam"])


class Exact:
    """What PyTorch makes of weights, instances and trajectories of a run."""

    def __init__(self, run):
        case, dump = run.case, run.dump
        model = build_model(case, dump, dump["params"])
        actions = torch.from_numpy(dump["actions"].astype(np.int64))
        actions = actions[:, :, :int(dump["steps"].max())]
        env = build_env(case, dump, actions.shape[1])
        depot, node = features_of(env)
        self.depot, self.node = None if depot is None else depot.numpy(), node.numpy()
        self.pairs = None if run.pairs is None else env.pairs().numpy()  # by the definition
        pairs = None if run.pairs is None else torch.from_numpy(run.pairs)
        h = model.encoder(depot, node, pairs)
        self.encoded = h.detach().numpy()
        predictor = None
        if "predictor_params" in dump:
            other = build_model(case, dump, dump["predictor_params"])
            with torch.no_grad():
                predictor = peer.Pointer(other, other.encoder(depot, node, pairs), "_sl")
        trace = []
        phi = decisions_of(dump) if "raw" in dump else None
        log_prob = peer.replay(peer.Pointer(model, h), env, actions, case.get("mask", "soft"), predictor,
                               case.get("source") == "forced", trace, phi)
        self.allowed = torch.stack([a for a, _ in trace], 2).numpy()  # (B, N, T, n)
        self.prob = torch.stack([p for _, p in trace], 2).numpy()
        self.log_prob = log_prob.detach().numpy()
        self.objective, self.violation = (x.numpy() for x in env.result())
        weight = torch.from_numpy(dump["weight"].copy())
        self.grads = gradients_of(model, (weight * log_prob).sum())
        if "aux_weight0" in dump:
            weights = torch.from_numpy(np.stack((dump["aux_weight0"], dump["aux_weight1"]), 1))
            env.reset()
            pointer = peer.Pointer(model, model.encoder(depot, node, pairs), "_sl")
            loss, counts = peer.aux_replay(pointer, env, actions, weights)
            self.aux_loss, self.counts = float(loss), counts.numpy()
            self.aux_grads = gradients_of(model, loss)
        is_plain = case["n"] == 20 and phi is None and pairs is None
        self.peer = check_peer(case, env, model, depot, node) if is_plain else ()


def check_run(report, run, exact):
    dump, bounds = run.dump, run.bounds
    error = np.abs(exact.node - dump["node_features"]).max()
    if exact.depot is not None:
        error = max(error, np.abs(exact.depot - dump["depot_features"]).max())
    report.check(run, "features", error, 2e-7)
    if run.pairs is not None:
        error = max(float(np.abs(run.pairs - exact.pairs).max()), run.padding)
        report.check(run, "features of pairs", error, 2e-5)
    report.check(run, "encoded", np.abs(exact.encoded - dump["encoded"]).max(), bounds["encoded"])
    check_decisions(report, run, exact)
    per_step = np.abs(exact.log_prob - dump["log_prob"]) / dump["steps"]
    report.check(run, "log_prob per step", per_step.max(), bounds["log_prob"])
    if "rollout_log_prob" in dump:
        error = np.abs(dump["rollout_log_prob"] - dump["log_prob"]).max()
        report.check(run, "rollout against replay", error, bounds["log_prob"])
    report.check(run, "objective", np.abs(exact.objective - dump["objective"]).max(), 1e-9)
    report.check(run, "violation", np.abs(exact.violation - dump["violation"]).max(), 1e-9)
    check_gradients(report, run, "grad", exact.grads, dump["grads"])
    if "aux_grads" in dump:
        T = exact.counts.shape[0]
        same = np.stack((dump["aux_zeros"], dump["aux_ones"]), 1)[:T] == exact.counts
        report.check(run, "aux labels that differ", (~same).sum(), 0)
        error = abs(exact.aux_loss - dump["aux_loss"][0]) / max(1.0, abs(exact.aux_loss))
        report.check(run, "aux loss", error, bounds["prob"])
        check_gradients(report, run, "aux grad", exact.aux_grads, dump["aux_grads"])
    check_adam(report, run, exact)
    for kind, error, bound in exact.peer:
        report.check(run, kind, error, bound)


def check_peer(case, env, model, depot, node):
    """The peer against itself: what its rollout samples is scored the same by its replay, and its
    UCPO loss has the weights of the definition (here by a loop). Kinds, errors and bounds."""
    kind = "lookahead" if "mask" in case else "soft"
    env.reset()
    pointer = peer.Pointer(model, model.encoder(depot, node))
    log_prob, actions = peer.rollout(pointer, env, kind)
    f, v = env.result()
    env.reset()
    again = peer.replay(pointer, env, torch.stack(actions, 2), kind)
    apart = float((log_prob - again).abs().max())
    total = 0.0
    for b in range(env.B):
        cost = [(bool(v[b, i] > 0), float(f[b, i] + v[b, i])) for i in range(env.N)]
        best = min(range(env.N), key=cost.__getitem__)
        for i in set(range(env.N)) - {best}:
            rivals = sum(c[0] == cost[i][0] for c in cost) - (cost[i][0] == cost[best][0])
            z = cost[i][1] / cost[best][1] * (log_prob[b, best] - log_prob[b, i])
            total = total + torch.nn.functional.softplus(-z) / rivals / env.B
    error = abs(float(total) - float(peer.ucpo_loss(f, v, log_prob)))
    return ("peer's rollout against replay", apart, 1e-12), ("peer's UCPO loss", error, 1e-10)


def only_gradients(failures):
    return failures and all(": grad" in line or ": aux grad" in line for line in failures)


class Passes:
    """Of one case: what PyTorch found, per input. How often it had to compute, and how often not."""

    made, reused = 0, 0

    def __init__(self):
        self.known = {}

    def of(self, run):
        if run.key in self.known:
            Passes.reused += 1
        else:
            Passes.made += 1
            self.known[run.key] = Exact(run)
        return self.known[run.key]


def check_case(report, case, programs, sets):
    """All kernel sets in both precisions. A ReLU input of about 1e-7 has another sign in float32 than in
    float64; the exact comparison is the twin's. One other draw must agree."""
    passes, others = Passes(), Passes()
    for program, kernels in itertools.product(programs, sets):
        one = Report()
        run = Run(program, kernels, case)
        check_run(one, run, passes.of(run))
        if run.precision == "f4" and only_gradients(one.failures):
            one = Report()
            run = Run(program, kernels, {**case, "seed": case["seed"] + 1000})
            check_run(one, run, others.of(run))
            print(f"drawn again: {kernels} {case}", flush=True)
        report.add(one)


def main():
    words = [w for w in sys.argv[1:] if w != "-v"]
    programs, only = words[:2], words[2:]
    part, parts = 1, 1
    if only and only[0].replace("/", "").isdigit():
        part, parts = (int(number) for number in only.pop(0).split("/"))
    torch.set_num_threads(1)
    sets = [kernels for kernels in SETS if has_kernels(programs[0], kernels)]
    print("kernel sets:", *sets, "; this machine lacks:", *(set(SETS) - set(sets)))
    report, count = Report(), 0
    known = subprocess.run([programs[0], "problems"], check=True, capture_output=True, text=True).stdout.split()
    print("not compared, the peer has no such environment:", *(set(known) - set(peer.ENVS)))
    wanted = [case for case in cases([problem for problem in known if problem in peer.ENVS])
              if os.environ.get("UCPO_TEST_FULL") == "1" or not is_large(case)]
    for case in wanted[part - 1::parts]:
        text = " ".join(f"{k}={v}" for k, v in case.items())
        if only and not all(w in text for w in only):
            continue
        before = len(report.failures)
        check_case(report, case, programs, sets)
        count += len(programs) * len(sets)
        if "-v" in sys.argv or len(report.failures) > before:
            print("FAILED" if len(report.failures) > before else "ok", text, flush=True)
    print(f"{count} comparisons; PyTorch computed {Passes.made} times, {Passes.reused} times the inputs were known; "
          "largest errors:")
    for (precision, kind), error in sorted(report.worst.items()):
        print(f"  {precision}  {kind:40s} {error:.2e}")
    for line in report.failures[:20]:
        print(line)
    return 1 if report.failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
