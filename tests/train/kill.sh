#!/bin/bash
# A run that is killed again and again ends with the bits of one that was left alone:
# tests/train/kill.sh PROGRAM [KILLS]
set -u
ucpo=$(realpath "$1")
kills=${2:-20}
seed=${KILL_SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$((seed % 32768))
echo "KILL_SEED=$seed repeats the moments"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# shellcheck disable=SC2054 # a mixture
settings=(tsptw -n 6:1,8:2 --mask pip-d --aux-open 0.2 --aux-recall 0.1 --width 16 --heads 2 --hidden 16
    --layers 1 --batch 16 --lr 1e-3 --lr-end 1e-4 --validate-count 4 --validate-every 500 --log-every 1
    --threads 1 --save-every 0.03 --instances)

fail() {
    echo "$1"
    tail -n 20 message 2>/dev/null
    exit 1
}

tensors() {
    local header
    header=$(od -An -tu8 -N8 "$1/last.safetensors" | tr -d ' ')
    tail -c "+$((9 + header))" "$1/last.safetensors"
}

# same RUN RUN: weights, optimiser, copies and metrics (but for the two columns of time)
same() {
    cmp <(tensors "$1") <(tensors "$2") || fail "$2: tensors differ from $1"
    cmp <(sed "s/,[^,]*,[^,]*$//" "$1/metrics.csv") <(sed "s/,[^,]*,[^,]*$//" "$2/metrics.csv") || fail "$2: metrics differ"
    [ "$(wc -l <"$2/metrics.csv")" = $(($(wc -l <"$2/metrics.jsonl") + 1)) ] || fail "$2: metrics disagree"
}

instances=16000
"$ucpo" train "${settings[@]}" $instances -q -o whole >/dev/null 2>message || fail "does not run"

# A new run if nothing is there yet, otherwise on with it. $1: run, $2...: what comes before ucpo
begin_or_resume() {
    local run=$1
    shift
    if [ -f "$run/config.toml" ]; then
        exec "$@" "$ucpo" train --resume "$run" >/dev/null 2>message
    else
        exec "$@" "$ucpo" train "${settings[@]}" $instances -o "$run" >/dev/null 2>message
    fi
}

killed=0 finished=0
for ((i = 0; killed < kills; i++)); do
    moment=0.$(printf %03d $((RANDOM % 400 + 3)))
    (begin_or_resume killed) &
    sleep "$moment"
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
    code=$?
    case $code in
    137) killed=$((killed + 1)) ;;
    0) # it was faster: the next one begins anew
        finished=$((finished + 1))
        same whole killed
        rm -rf killed
        ;;
    *) fail "session $i, killed after $moment s: exit status $code" ;;
    esac
    [ $i -lt $((10 * kills)) ] || fail "hardly any session can be killed: the run is too short"
done
(begin_or_resume killed) || fail "the last session failed"
same whole killed
echo "$killed sessions were killed, $((finished + 1)) runs finished"

# Ctrl-C, SIGTERM and SIGHUP: saved, told, exit status 130; the run goes on. A machine on which the run
# is over before all have come gets them earlier.
stop_thrice() {
    for signal in INT TERM HUP; do
        (begin_or_resume stopped timeout --foreground --preserve-status -s $signal "$1")
        code=$?
        [ $code != 0 ] || return 1
        [ $code = 130 ] || fail "$signal: exit status $code, expected 130"
        grep -q "stopped and saved; go on with: ucpo train --resume stopped" message || fail "$signal: no message"
    done
}
for moment in 0.5 0.25 0.12 0.06 none; do
    [ $moment != none ] || fail "the run is over before it can be stopped three times"
    rm -rf stopped
    stop_thrice $moment && break
done
(begin_or_resume stopped) || fail "the session after SIGHUP failed"
same whole stopped
