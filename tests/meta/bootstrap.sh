#!/bin/sh
# scripts/bootstrap waits for apt's locks: `make test` died of them. apt, dpkg and sleep are imitated.
# tests/meta/bootstrap.sh SOURCE_DIR
set -eu
bootstrap=$1/scripts/bootstrap
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir bin
imitate() {
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}
imitate id 'echo 0'
imitate sleep 'echo sleep "$@" >>slept'
imitate dpkg-query '[ -f installed ] && echo "install ok installed"'
# Answers of apt-get: a line of `answers` each; the last one stays.
# shellcheck disable=SC2016 # for the imitation to expand
imitate apt-get 'echo "$1" >>asked
line=$(head -1 answers)
[ "$(wc -l <answers)" = 1 ] || { tail -n +2 answers >rest; mv rest answers; }
case $line in
ok) [ "$1" != install ] || touch installed; exit 0 ;;
esac
echo "E: $line" >&2
exit 100'
PATH=$scratch/bin:$PATH
export PATH

# attempt NAME STATUS ANSWER...: what bootstrap makes of it, in out; apt is asked as often as $asked says
attempt() {
    name=$1 expected=$2 code=0
    shift 2
    rm -f installed asked slept
    printf '%s\n' "$@" >answers
    "$bootstrap" build >out 2>&1 || code=$?
    if [ "$code" != "$expected" ] || [ "$(tr '\n' ' ' <asked)" != "$asked" ]; then
        echo "$name: exit status $code, expected $expected; apt-get was asked: $(tr '\n' ' ' <asked), expected: $asked"
        cat out
        exit 1
    fi
}

says() {
    grep -q "$1" out || { echo "$name: does not say: $1"; cat out; exit 1; }
}

frontend="Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (apt-get)"
lists="Could not get lock /var/lib/apt/lists/lock. It is held by process 4711 (apt-get)"
asked="install "
attempt "nothing in the way" 0 ok
[ ! -f slept ] || { echo "$name: has waited"; exit 1; }
asked="install install install "
attempt "a lock of dpkg" 0 "$frontend" \
    "Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?" ok
says "another program is using apt; waiting, at most"
[ "$(wc -l <slept)" = 2 ] || { echo "$name: has not waited twice"; exit 1; }
asked="install update update install "
attempt "a lock of the lists" 0 "Unable to locate package ninja-build" "$lists" ok ok
says "waiting"
asked="install update install "
attempt "a package there is not" 1 "Unable to locate package ninja-build"
says "Unable to locate package"
says "please run"
[ ! -f slept ] || { echo "$name: has waited"; exit 1; }
UCPO_APT_WAIT=0
export UCPO_APT_WAIT
attempt "a lock that stays" 1 "$frontend"
says "held apt's lock for"
echo "waits for locks, and for nothing else"
