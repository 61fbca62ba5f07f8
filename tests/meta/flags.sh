#!/bin/sh
# Fails if any file is compiled with flags that change the meaning of floating point, or may contract
# products and sums outside the kernels (docs/architecture.md, "Numbers").
set -eu
commands=$2/compile_commands.json
grep -q '"command"' "$commands"
if grep -nE -e '-ffast-math|-Ofast|-funsafe-math|-fassociative-math|-ffinite-math' "$commands"; then
    echo "fast-math flags change results and break NaN checks"
    exit 1
fi

# Outside the kernels a product and a sum stay two roundings: the last word on contraction is "off".
grep -q -- '-ffp-contract=off' "$commands"
if grep '"command"' "$commands" | grep '/src/' | grep -vE '/src/math/(kern_[a-z0-9]*|half|gemm_amx)\.c' |
    grep -vE -- '-ffp-contract=off' ||
    grep '"command"' "$commands" | grep '/src/' | grep -vE '/src/math/(kern_[a-z0-9]*|half|gemm_amx)\.c' |
    grep -E -- '-ffp-contract=(fast|on)'; then
    echo "contraction makes feasibility depend on the compiler: -ffp-contract=off for these"
    exit 1
fi
