#!/bin/sh
# Fails on a line of more than 100 characters in the documents: README, CONTRIBUTING, docs. Nothing is excepted;
# what is wider is a list instead of a table, a command over two lines, a link with a shorter name.
set -eu
cd "$1"
count=0
bad=0
for page in README.md CONTRIBUTING.md docs/*.md; do
    count=$((count + 1))
    # bytes that continue a character of UTF-8 do not count
    LC_ALL=C tr -d '\200-\277' <"$page" | LC_ALL=C awk -v page="$page" \
        'length > 100 { print page ":" NR ": " length " characters, the limit is 100"; bad = 1 } END { exit bad }' ||
        bad=1
done
if [ "$count" -lt 15 ]; then
    echo "only $count pages found: the script looks in the wrong place"
    exit 1
fi
echo "$count pages looked at"
exit $bad
