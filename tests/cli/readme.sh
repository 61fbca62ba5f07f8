#!/bin/bash
# What README.md and docs/tour.md show: every line of their shell blocks runs as it stands, the
# program in C compiles. tests/cli/readme.sh PROGRAM
#
# The scratch folder looks like the repository: examples and models are there, the program is on the
# path. A line may end with 0, or with the status that its remark names. `make` is not run.
set -u
program=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$program" "$scratch/bin/ucpo"
ln -s "$root/examples" "$root/models" "$scratch"
export PATH=$scratch/bin:$PATH
cd "$scratch" || exit 1

# blocks KIND FILE: the lines of a file's blocks of that kind
blocks() {
    awk -v kind="$1" '$0 == "```" kind {on = 1; next} /^```/ {on = 0} on' "$2"
}

count=0
for page in README.md docs/tour.md; do
    while IFS= read -r line; do
        case $line in "" | "#"* | make*) continue ;; esac
        expected=0
        [[ $line =~ exit\ status\ ([0-9]+) ]] && expected=${BASH_REMATCH[1]}
        bash -c "$line" >out.txt 2>err.txt </dev/null
        status=$?
        count=$((count + 1))
        [ $status = "$expected" ] && continue
        echo "$page: exit status $status, expected $expected: $line"
        tail -5 out.txt err.txt
        exit 1
    done < <(blocks sh "$root/$page")
    rm -rf try
done
if [ $count -lt 20 ]; then
    echo "found $count lines, expected more"
    exit 1
fi

{
    printf '#include <stdio.h>\n#include "ucpo.h"\nint main(void)\n{\nucpo_error err;\n'
    blocks c "$root/README.md"
    printf 'return 0;\n}\n'
} >shown.c
[ "$(wc -l <shown.c)" -gt 8 ] || { echo "README.md shows no program in C"; exit 1; }
cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -I "$root/include" shown.c || exit 1
echo "$count lines of README.md and docs/tour.md run as they stand, the program in C compiles"
