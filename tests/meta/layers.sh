#!/bin/sh
# Fails on an #include between rooms of src/ that the architecture does not allow.
set -eu
cd "$1/src"

allowed() {
    case $1 in
    core) echo "" ;;
    math) echo "core" ;;
    nn) echo "core math" ;;
    problem) echo "core" ;;
    loss) echo "core" ;;
    explain) echo "core problem" ;;
    refine) echo "core problem loss" ;;
    bound) echo "core problem" ;;
    io) echo "core problem" ;;
    plot) echo "core io" ;;
    policy) echo "core nn problem" ;;
    train) echo "core math nn problem loss policy refine io" ;;
    eval) echo "core math nn problem loss policy refine io" ;;
    solve) echo "core math nn problem loss policy refine bound eval" ;;
    api) echo "core math nn problem loss policy io explain plot refine train eval solve" ;;
    cli) echo "core" ;;
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
        echo "$file: room '$room' is not in the table of $0"
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
