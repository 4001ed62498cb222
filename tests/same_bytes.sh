#!/usr/bin/env bash
# Runs every example with two builds of Ancora and compares each history.csv byte by byte: the proof
# that a change of structure changed no number.
# SPDX-License-Identifier: BSD-3-Clause
#
#   tests/same_bytes.sh OLD NEW [EXAMPLE]...
#
# OLD and NEW are build folders or installed prefixes (with bin/ancora). Without names, all examples
# run that need no plugin of their own, and each once more under dopri5, the other face of the kernel.

set -euo pipefail

if (($# < 2)); then
    sed -n '6,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
old=$(realpath -- "$1")
new=$(realpath -- "$2")
shift 2
root=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
out=$(mktemp -d)
trap 'rm -rf -- "$out"' EXIT

if (($#)); then
    models=("${@/%//model.toml}")
    models=("${models[@]/#/$root/examples/}")
else
    models=("$root"/examples/*/model.toml)
fi

# run BUILD SIDE MODEL OPTION...: where the history lies, or what the run said when it ended in an error
run() {
    local build=$1 folder="$out/$2" model=$3
    shift 3
    rm -rf -- "$folder"
    "$build/bin/ancora" run "$model" --out "$folder" --quiet "$@" 2> "$folder.said" || true
    sed -i "s#$folder#OUT#g" "$folder.said"
}

different=0
compare() {
    local label=$1
    shift
    run "$old" old "$@" &
    run "$new" new "$@"
    wait
    if [[ -e $out/old/history.csv ]] && cmp -s "$out/old/history.csv" "$out/new/history.csv"; then
        printf 'same       %-45s %s bytes\n' "$label" "$(stat -c %s "$out/new/history.csv")"
    elif [[ ! -e $out/old/history.csv && ! -e $out/new/history.csv ]] \
        && cmp -s "$out/old.said" "$out/new.said"; then
        printf 'same error %-45s %s\n' "$label" "$(head -c 60 "$out/new.said" | head -n 1)"
    else
        printf 'DIFFERENT  %s\n' "$label"
        head -n 3 "$out/new.said"
        different=1
    fi
}

for model in "${models[@]}"; do
    name=$(basename "$(dirname "$model")")
    # Types of the example's own: its CMakeLists.txt builds them.
    [[ $name != custom_constraint ]] || continue
    compare "$name" "$model"
    compare "$name, dopri5" "$model" --set integrator.type='"dopri5"' --set integrator.end=0.5
done
exit "$different"
