#!/bin/sh
# Fails if a problem's name stands in a room that must not know problems: only src/problem may, and the
# program in examples of commands. Comments are free to mention them.
set -eu
cd "$1/src"

names=$(sed -n 's/^    \.info = {"\([a-z]*\)".*/\1/p' problem/*.c | sort -u | tr '\n' ' ')
count=$(echo "$names" | wc -w)
if [ "$count" -lt 5 ]; then
    echo "only $count problems found in problem/*.c ($names): the script looks in the wrong place"
    exit 1
fi
pattern=$(echo "$names" | sed 's/ $//; s/ /|/g')

# Words of the code without comments, as file:line:text.
code() {
    awk '{
        line = $0
        out = ""
        while (length(line) > 0) {
            if (inside) {
                end = index(line, "*/")
                if (end == 0) { line = ""; break }
                line = substr(line, end + 2); inside = 0
            } else {
                start = index(line, "/*")
                if (start == 0) { out = out line; line = "" }
                else { out = out substr(line, 1, start - 1); line = substr(line, start + 2); inside = 1 }
            }
        }
        print FILENAME ":" FNR ":" out
    }' "$1"
}

bad=0
looked=0
for file in */*.c */*.h; do
    case $file in problem/*) continue ;; esac
    looked=$((looked + 1))
    found=$(code "$file" | grep -iE "(^|[^a-z])($pattern)([^a-z]|$)" || true)
    case $file in
    cli/*) found=$(printf '%s\n' "$found" | grep -vE '"[^"]*ucpo [a-z]+ ' || true) ;;
    esac
    [ -z "$found" ] && continue
    printf '%s\n' "$found"
    bad=1
done
if [ "$looked" -lt 100 ]; then
    echo "only $looked files looked at: the script looks in the wrong place"
    exit 1
fi
[ $bad = 0 ] || echo "what a room needs to know of a problem belongs into its prob_ops (src/problem/problem.h)"
echo "$looked files looked at for: $names"
exit $bad
