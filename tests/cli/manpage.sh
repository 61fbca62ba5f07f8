#!/bin/sh
# The generated manual page: well-formed, and every command and option is in it.
set -eu
page=$1
for word in generate check explain convert info plot help completion 'Fl -seed' 'Fl -round' 'Sh EXIT STATUS'; do
    if ! grep -q -e "$word" "$page"; then
        echo "$page: '$word' is missing"
        exit 1
    fi
done
command -v mandoc >/dev/null || exit 77
mandoc -T lint -W warning "$page"
