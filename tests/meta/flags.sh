#!/bin/sh
# Fails if any file is compiled with flags that change the meaning of floating point.
set -eu
commands=$2/compile_commands.json
grep -q '"command"' "$commands"
if grep -nE -e '-ffast-math|-Ofast|-funsafe-math|-fassociative-math|-ffinite-math' "$commands"; then
    echo "fast-math flags change results and break NaN checks"
    exit 1
fi
