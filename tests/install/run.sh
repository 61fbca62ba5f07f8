#!/bin/bash
# Installs into a temporary prefix and uses the result as a stranger would.
# tests/install/run.sh SOURCE BUILD COMPILER
set -eu
source=$1 build=$2 compiler=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

fail() {
    echo "install: $*"
    exit 1
}

cmake --install "$build" --prefix "$prefix" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
library=$(find "$prefix" -name 'libucpo.so.*.*.*' -type f)
[ -f "$library" ] || fail "no shared library"
libdir=$(dirname "$library")
for file in bin/ucpo include/ucpo.h share/man/man1/ucpo.1 share/bash-completion/completions/ucpo; do
    [ -s "$prefix/$file" ] || fail "$file is missing"
done
[ -s "$libdir/libucpo.a" ] || fail "no static library"

# ---- the installed program runs ----
"$prefix/bin/ucpo" --version >"$scratch/version"
grep -q '^ucpo [0-9]' "$scratch/version" || fail "ucpo --version says: $(cat "$scratch/version")"

# ---- exported symbols: exactly the functions of ucpo.h ----
nm -D --defined-only "$library" | awk '$2 ~ /[TDBRVW]/ {sub(/@.*/, "", $3); print $3}' |
    grep -v '^UCPO_' | sort -u >"$scratch/exported"
sed -n 's/^UCPO_API .*[ *]\(ucpo_[a-z_]*\)(.*/\1/p' "$source/include/ucpo.h" | sort -u \
    >"$scratch/declared"
diff -u "$scratch/declared" "$scratch/exported" ||
    fail "exported symbols differ from the functions declared in ucpo.h"

# ---- imports: a library neither prints nor exits ----
nm -D --undefined-only "$library" | awk '{sub(/@.*/, "", $2); print $2}' >"$scratch/imported"
if grep -xE 'exit|_exit|abort|printf|puts|putchar|fputs|signal|sigaction|getenv|setlocale|__printf_chk' \
    "$scratch/imported"; then
    fail "the library imports what only a program may use"
fi

# ---- consumers ----
mkdir "$scratch/consumer"
if ls "$source"/examples/*.c >/dev/null 2>&1; then
    cp "$source"/examples/*.c "$scratch/consumer"
fi
cat >"$scratch/consumer/minimal.c" <<'END'
#include <stdio.h>
#include <ucpo.h>
int main(void)
{
    printf("%s, %zu problems\n", ucpo_version(), ucpo_problem_count());
    return ucpo_problem_count() == 0;
}
END
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
for file in "$scratch"/consumer/*.c; do
    name=$(basename "$file" .c)
    # shellcheck disable=SC2046 # flags are words
    "$compiler" -std=c11 -Wall -Wextra -Werror -o "$scratch/$name" "$file" \
        $(pkg-config --cflags --libs ucpo) -lm || fail "$name does not build by pkg-config"
    # shellcheck disable=SC2046
    "$compiler" -std=c11 -o "$scratch/$name.static" "$file" $(pkg-config --cflags ucpo) \
        "$libdir/libucpo.a" $(pkg-config --static --libs-only-l --libs-only-other ucpo |
            sed 's/-lucpo//') || fail "$name does not build statically"
done

cat >"$scratch/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(consumer C)
find_package(ucpo 0.1 REQUIRED)
file(GLOB sources *.c)
foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ucpo::ucpo m)
endforeach()
END
cmake -S "$scratch/consumer" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$compiler" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
cmake --build "$scratch/cmake" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"

cd "$source" # examples may read examples/data
for file in "$scratch"/consumer/*.c; do
    name=$(basename "$file" .c)
    for program in "$scratch/$name" "$scratch/$name.static" "$scratch/cmake/$name"; do
        "$program" >"$scratch/out" 2>&1 || fail "$program fails: $(cat "$scratch/out")"
    done
done
echo "installed, $(wc -l <"$scratch/exported") symbols, $(find "$scratch/consumer" -name '*.c' | wc -l) programs built three ways"
