#!/bin/sh
# Fails on a source file of 900 lines or more: nobody reviews such files. The public header is the
# manual and has one page per subject: it may be longer.
set -eu
cd "$1"
bad=0
count=0
for file in $(git ls-files '*.c' '*.h' '*.sh' '*.cmake' '*.py' 2>/dev/null ||
    find include src tests bench examples cmake -name '*.[ch]'); do
    [ -f "$file" ] || continue
    count=$((count + 1))
    lines=$(wc -l <"$file")
    limit=899
    [ "$file" != include/ucpo.h ] || limit=1460
    if [ "$lines" -gt $limit ]; then
        echo "$file: $lines lines, the limit is $limit"
        bad=1
    fi
done
if [ "$count" -lt 20 ]; then
    echo "only $count files found: the script looks in the wrong place"
    exit 1
fi
echo "$count files looked at"
exit $bad
