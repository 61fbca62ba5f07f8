#!/bin/sh
# Fails if a text of the library speaks of the program's options ("--capacity"): who calls the library from C
# or Python has none. It says "option 'capacity'", which the program shows as --capacity.
set -eu
cd "$1/src"

found=$(grep -nE '"[^"]*--[a-z]' ./*/*.c ./*/*.h | grep -v '^\./cli/' || true)
named=$(cat ./*/*.c | grep -c "option '" || true)
if [ "$named" -lt 20 ]; then
    echo "only $named texts name an option: the script looks in the wrong place"
    exit 1
fi
if [ -n "$found" ]; then
    printf '%s\n' "$found"
    echo "texts of the library must not name options of the program: write option 'name'"
    exit 1
fi
echo "$named texts name an option, none of them with dashes"
