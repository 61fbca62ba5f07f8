#!/bin/sh
# The engine against its PyTorch peer in one run, with the bars of the engine's issue; then growth
# with n and memory, ours only. Usage: bench/run_engine.sh [BUILD_DIR] [sections of bench_engine]
# The peer runs on PyPI's PyTorch (bench/torch_python.sh); without any its columns stay empty. BF16=1:
# our products have bf16 factors, as they are meant to run where there is AMX.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
[ $# -eq 0 ] || shift
python=$(bench/torch_python.sh)
bf16=""
[ -z "${BF16:-}" ] || bf16=bf16
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1
echo "processors: $(nproc), load before: $(cut -d' ' -f1-3 /proc/loadavg)"
if [ -n "$python" ]; then
    "$python" -c 'import torch; print("peer: PyTorch", torch.__version__)'
    "$python" bench/peers/bench_torch.py 50 >>"$rows"
else
    echo "PyTorch is missing: no peer"
fi
if [ $# -eq 0 ]; then
    "$build/bench_engine" $bf16 memory >>"$rows" # a process of its own: peak memory
    set -- gemm main greedy side sizes
fi
# shellcheck disable=SC2086 # one word or none
"$build/bench_engine" $bf16 "$@" >>"$rows"
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)"

awk -F, '
$1 == "facts" { kernels = $2; sub("kernels ", "", kernels); if (!told++) print $2 ", products " $3 }
$1 == "greedy" { greedy = $3 }
$1 == "peer" { key = $2 "," $3; setting[key] = setting[key] sprintf(" %.1f", $6)
               if ($6 > peer[key]) peer[key] = $6
               if ($5 == 1 && $7 > peer_cpu[key]) peer_cpu[key] = $7 }
$1 == "ours" { ours[$2 "," $3, $5] = $6; share[$2 "," $3, $5] = $8; if ($5 == 1) ours_cpu[$2 "," $3] = $7 }
$1 == "replayed" { replayed[$2] = $4 }
$1 == "gemm" { gemm = gemm sprintf("  %s %dx%dx%d %.0f", $2, $3, $4, $5, $6) }
$1 == "rss" { printf "\npeak memory, learning, n=%d, %d samples, batch %d, %d threads: %d MB resident (workspace %d MB), bar 1024 MB\n", $3, $4, $5, $6, $8, $7 }
$1 == "side" { side[++sides] = $0 }
$1 == "size" { size[++sizes] = $0 }
$1 == "growth" { growth[++growths] = $0 }
function row(name, key, against, bar,    two, ratio) {
    two = ours[key, 2] > ours[key, 1] ? ours[key, 2] : ours[key, 1]
    if (two == 0) return
    ratio = peer[against] > 0 ? two / peer[against] : 0
    printf "%-40s %9.2f %8.1f %8.1f %7.1fx %5s %-7s", name, peer[against], ours[key, 1], ours[key, 2],
        ratio, bar ? bar "x" : "", bar && peer[against] ? (ratio >= bar ? "met" : "missed") : ""
    if (peer_cpu[against]) printf " %9.2f %8.1f %7.1fx", peer_cpu[against], ours_cpu[key], ours_cpu[key] / peer_cpu[against]
    print ""
}
function threads(name, key) {
    if (ours[key, 1]) printf "  %-42s %.2fx\n", name, ours[key, 2] / ours[key, 1]
}
END {
    print "\nn=50, 50 samples, batch 64, 6 layers; instances per second"
    print "(right: per second of processor time, one thread each, which other work on the machine disturbs less)"
    printf "%-40s %9s %8s %8s %8s %5s %-7s %9s %8s %8s\n", "work", "peer best", "ours, 1", "ours, 2", "ratio", "bar", "",
        "peer", "ours", "ratio"
    # bars of issue 14; with AVX2 the bar is the build before it (docs/speed.md)
    split(kernels == "amx" ? "5 8 10 20" : kernels == "avx512" ? "3.5 5.5 7 14" : "", bar, " ")
    row("training step, POMO mask", "train,soft", "train,soft", bar[1])
    row("training step, PIP mask", "train,lookahead", "train,lookahead", bar[2])
    row("inference 8 images x n, POMO", "infer,soft", "infer,soft", bar[3])
    row("inference 8 images x n, PIP", "infer,lookahead", "infer,lookahead", bar[4])
    row("training step, PIP, peer by the formula", "train,lookahead", "train,formula", 0)
    row("inference, PIP, peer by the formula", "infer,lookahead", "infer,formula", 0)
    if (greedy) printf "one greedy plan of a set, n=50: %.2f processor ms%s\n", greedy, kernels == "amx" ? " (bar 0.4)" : ""
    print "two threads over one (bar 1.9x)"
    threads("training step, POMO mask", "train,soft"); threads("training step, PIP mask", "train,lookahead")
    threads("inference, POMO", "infer,soft"); threads("inference, PIP", "infer,lookahead")
    printf "share of measured sgemm speed: training %s (1 thread) %s (2), inference %s, %s\n",
        share["train,soft", 1], share["train,soft", 2], share["infer,soft", 1], share["infer,soft", 2]
    printf "trajectories replayed: POMO %s, PIP %s\n", replayed["soft"], replayed["lookahead"]
    print "peer by setting (threads of PyTorch/BLAS: 1/1, 2/2, 2/1):"
    for (key in setting) printf "  %-18s%s\n", key, setting[key]
    if (gemm) print "sgemm, one thread, GF/s:" gemm
    if (sides) print "\nfeatures of the decision, large network, n=50, one thread, heard in the logits or in the glimpse, too: processor ms an instance without, with, ratio (bar 1.2 in training)"
    for (i = 1; i <= sides; i++) { split(side[i], f, ","); printf "  %-6s %-10s %-8s %8.2f %8.2f %7.2fx\n", f[2], f[3], f[4], f[6], f[7], f[8] }
    if (sizes) print "\nours only, one thread, n samples: work, mask, n, instances per processor second, microseconds per trajectory"
    for (i = 1; i <= sizes; i++) { split(size[i], f, ","); printf "  %-6s %-10s %4d %10.3f %12.1f\n", f[2], f[3], f[4], f[5], f[6] }
    if (growths) print "exponent of growth per trajectory (bar 2):"
    for (i = 1; i <= growths; i++) { split(growth[i], f, ","); printf "  %-6s %-10s %4d to %4d  %.2f\n", f[2], f[3], f[4], f[5], f[6] }
}' "$rows"
