# shellcheck shell=bash
# Sourced by cases: puts an LKH on the PATH that is none. It says what it was asked and writes the tour of
# our own constructive rules for the file it was given.
export UCPO_MODELS=/nonexistent
mkdir -p bin
cat >bin/LKH <<'END'
#!/bin/sh
value() { sed -n "s/^$1 = //p" "$parameters"; }
parameters=$1
problem=$(value PROBLEM_FILE)
echo run >>"$LKH_LOG"
sed 's|= .*/|= |' "$parameters" >"$LKH_LOG.parameters"
cp "$problem" "$LKH_LOG.problem"
ucpo solve "$problem" -q -m none -f tour -o "$(value TOUR_FILE)"
exit 0
END
chmod +x bin/LKH
export PATH=$PWD/bin:$PATH LKH_LOG=$PWD/lkh.log
cp "$CASES/../../data/tiny_tsptw.safetensors" m.safetensors
