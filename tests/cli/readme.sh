#!/bin/bash
# The example block of README.md: every line runs as it stands. tests/cli/readme.sh PROGRAM
#
# The scratch folder looks like the repository: examples and models are there, the program is on the
# path. A line may end with 0, or with the status that its remark names.
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
count=0
while IFS= read -r line; do
    [ -n "$line" ] || continue
    expected=0
    [[ $line =~ exit\ status\ ([0-9]+) ]] && expected=${BASH_REMATCH[1]}
    bash -c "$line" >out.txt 2>err.txt </dev/null
    status=$?
    count=$((count + 1))
    [ $status = "$expected" ] && continue
    echo "exit status $status, expected $expected: $line"
    tail -5 out.txt err.txt
    exit 1
done < <(awk '/^## What works today/ {on = 1} on && /^```sh/ {block = 1; next} block && /^```/ {exit} block' "$root/README.md")
if [ $count -lt 12 ]; then
    echo "found $count lines in the block, expected more"
    exit 1
fi
echo "$count lines of README.md run as they stand"
