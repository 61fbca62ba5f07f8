#!/bin/bash
# Runs cases of the command line: tests/cli/run.sh PROGRAM [CASE...]
#
# A case is a folder under tests/cli/cases with
#   cmd                     shell script; `ucpo` is on the PATH, `data` is examples/data, the
#                           current folder is an empty scratch folder
#   stdout, stderr          expected text, byte for byte; absent: must be empty
#   stdout.glob, ...        instead: expected lines as glob patterns, for parts that vary
#   exit                    expected exit status; absent: 0
# cmd may exit 77 to skip itself.
#
# UPDATE=1 rewrites stdout, stderr and exit from what happened (never the .glob files).
set -u
program=$(realpath "$1")
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
cases=$root/tests/cli/cases
if [ $# = 0 ]; then
    mapfile -t all < <(cd "$cases" && ls)
    set -- "${all[@]}"
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$program" "$scratch/bin/ucpo"
export PATH=$scratch/bin:$PATH LC_ALL=C NO_COLOR=1 CASES=$cases

# Every line of file $1 must match the glob in the same line of file $2.
matches_globs() {
    local actual pattern more expect
    while true; do
        more=0 expect=0
        if IFS= read -r actual <&3; then more=1; fi
        if IFS= read -r pattern <&4; then expect=1; fi
        [ "$more$expect" = 00 ] && return 0
        [ "$more$expect" = 11 ] || return 1
        # shellcheck disable=SC2053 # the right side is a pattern on purpose
        [[ $actual == $pattern ]] || return 1
    done 3<"$1" 4<"$2"
}

# compare CASE STREAM: actual output against expectation
compare() {
    local folder=$cases/$1 actual=$scratch/$2
    if [ -f "$folder/$2.glob" ]; then
        matches_globs "$actual" "$folder/$2.glob" && return 0
        echo "$1: $2 does not match $2.glob:"
        diff -u "$folder/$2.glob" "$actual"
        return 1
    fi
    if [ -n "${UPDATE:-}" ]; then
        if [ -s "$actual" ]; then cp "$actual" "$folder/$2"; else rm -f "$folder/$2"; fi
        return 0
    fi
    local expected=/dev/null
    [ -f "$folder/$2" ] && expected=$folder/$2
    cmp -s "$expected" "$actual" && return 0
    echo "$1: $2 differs:"
    diff -u --label "expected $2" --label "actual $2" "$expected" "$actual"
    return 1
}

run_case() {
    local folder=$cases/$1 code expected=0
    if [ ! -f "$folder/cmd" ]; then
        echo "$1: no such case"
        return 1
    fi
    rm -rf "$scratch/work" && mkdir "$scratch/work"
    ln -s "$root/examples/data" "$scratch/work/data"
    (cd "$scratch/work" && sh "$folder/cmd") >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    if [ $code = 77 ]; then
        echo "$1: skipped"
        return 77
    fi
    if [ -n "${UPDATE:-}" ]; then
        if [ $code = 0 ]; then rm -f "$folder/exit"; else echo $code >"$folder/exit"; fi
    fi
    [ -f "$folder/exit" ] && expected=$(cat "$folder/exit")
    local bad=0
    if [ "$code" != "$expected" ]; then
        echo "$1: exit status $code, expected $expected"
        cat "$scratch/stderr"
        bad=1
    fi
    compare "$1" stdout || bad=1
    compare "$1" stderr || bad=1
    return $bad
}

failed=0
for name in "$@"; do
    run_case "$name"
    result=$?
    if [ $result = 77 ] && [ $# = 1 ]; then exit 77; fi
    if [ $result = 1 ]; then failed=$((failed + 1)); fi
done
[ $# -gt 1 ] && echo "$# cases, $failed failed"
[ $failed = 0 ]
