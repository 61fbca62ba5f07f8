#!/bin/sh
# Fails on an #include between rooms of src/ that the architecture does not allow.
set -eu
cd "$1/src"

# The table of docs/architecture.md, one line "ROOM: ROOMS IT MAY INCLUDE" each. A line there begins
# "- **`ROOM`** (includes A, B)", where "nothing" and "all of the above" mean what they say.
# shellcheck disable=SC2016 # backquotes of the text
table=$(sed '/^## Flow of data/,$d' ../docs/architecture.md | tr '\n' ' ' | sed 's/- \*\*/\n&/g' |
    sed -n 's/^- \*\*`\([a-z]*\)`\*\* (includes \([^)]*\)).*/\1: \2/p' | tr -s ', ' ' ' |
    awk '{ sub(/ nothing$/, ""); sub(/all of the above/, above); print; sub(/:.*/, ""); above = above " " $0 }')

allowed() {
    echo "$table" | sed -n "s/^$1://p" | grep . || case "$table" in
    *"$1:"*) ;;
    *) echo "unknown room" ;;
    esac
}

bad=0
count=0
for file in */*.c */*.h; do
    [ -f "$file" ] || continue
    room=${file%%/*}
    rooms=$(allowed "$room")
    if [ "$rooms" = "unknown room" ]; then
        echo "$file: room '$room' is not in the table of docs/architecture.md"
        bad=1
        continue
    fi
    # shellcheck disable=SC2013 # header names have no blanks
    for header in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"); do
        count=$((count + 1))
        [ "$header" = ucpo.h ] && continue
        target=${header%%/*}
        case " $room $rooms " in
        *" $target "*) ;;
        *)
            echo "$file: includes \"$header\", but $room may include: ucpo.h $room $rooms"
            bad=1
            ;;
        esac
    done
done
if [ "$count" -lt 20 ]; then
    echo "only $count includes found: the script looks in the wrong place"
    exit 1
fi
echo "$count includes looked at"
exit $bad
