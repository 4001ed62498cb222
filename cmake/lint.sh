#!/bin/sh
# Holds C++ files to .clang-format and .clang-tidy: those that have changed, or all.
# SPDX-License-Identifier: BSD-3-Clause
#
#   sh cmake/lint.sh [BASE]      what has changed since BASE, committed or not; without BASE since the
#                                branch left origin/main, on main itself since the commit before
#   sh cmake/lint.sh --all       every file, as long as it takes
#   sh cmake/lint.sh --fix ...   formats instead of asking for it
#
# Ends with 1 if there are findings; with ANCORA_LINT_ADVISE set, what clang-tidy finds is only shown.
# The rules are those of version 14, Debian 12's:
# `sh cmake/bootstrap.sh lint` installs it first.

set -eu

# clang-tidy takes as long as a compiler. Without --all it looks at the first so many sources, and begins
# with none when so many seconds have passed.
most_sources=${ANCORA_LINT_SOURCES:-24}
most_seconds=${ANCORA_LINT_SECONDS:-240}

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
cd "$root"

say() { printf 'lint: %s\n' "$*" >&2; }
fail() {
    say "error: $*"
    exit 2
}

all=false
fix=false
base=
for argument; do
    case $argument in
    --all) all=true ;;
    --fix) fix=true ;;
    -h | --help) sed -n '/^#   sh/,/^# Ends/s/^# \{0,1\}//p' "$0" && exit ;;
    -*) fail "there is no option $argument; see: sh cmake/lint.sh --help" ;;
    *) base=$argument ;;
    esac
done

# tool NAME: prints the command of NAME in version 14.
tool() {
    for command in "$1-14" "$1"; do
        if "$command" --version 2>/dev/null | grep -q 'version 14\.'; then
            printf '%s' "$command"
            return
        fi
    done
    fail "there is no $1 of version 14; on Debian 12: sh cmake/bootstrap.sh lint"
}
format=$(tool clang-format)
tidy=$(tool clang-tidy)

is_revision() { git rev-parse --quiet --verify "$1^{commit}" >/dev/null 2>&1; }

# Sets base to the revision to compare with; empty if there is none.
find_base() {
    if [ -n "$base" ]; then
        is_revision "$base" || fail "\"$base\" is no revision of this repository"
    elif base=$(git merge-base HEAD origin/main 2>/dev/null) &&
        [ "$base" != "$(git rev-parse HEAD)" ]; then
        :
    else
        # A clone without history has no commit before: that one is little to ask for.
        is_revision HEAD~1 || timeout 30 git fetch --quiet --deepen=1 >/dev/null 2>&1 || true
        base=
        if is_revision HEAD~1; then base=HEAD~1; fi
    fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# every_file: of the repository, or of a folder that is none.
every_file() {
    git ls-files 2>/dev/null || find cmake examples framework plugins sdk tests -type f
}

is_compared=false
if $all; then
    every_file >"$work/names"
else
    find_base
    if [ -n "$base" ]; then
        is_compared=true
        say "what has changed since $(git log -1 --format='%h, %s' "$base")"
        git diff --name-only --diff-filter=d "$base" >"$work/names"
        git ls-files --others --exclude-standard >>"$work/names"
    else
        say "there is no commit to compare with, so only the format is checked, of all files"
        every_file >"$work/names"
    fi
fi
grep -E '\.(cpp|hpp)$' "$work/names" | sort -u >"$work/files" || true
[ -s "$work/files" ] || {
    say "no C++ file has changed"
    exit 0
}

findings=0

# --- format

if $fix; then
    xargs "$format" -i <"$work/files"
elif ! xargs "$format" --dry-run --Werror <"$work/files" >"$work/format" 2>&1; then
    cat "$work/format"
    say "format: sh cmake/lint.sh --fix mends what is shown above"
    findings=1
fi

# --- analysis

if $all; then
    most_seconds=1000000
elif ! $is_compared; then
    exit $findings
fi

# How each file is compiled alone, as in daily work; nothing is built. Headers that CMake makes are
# there when it has run.
build=$root/build/lint
mkdir -p "$build"
cmake --preset release -B "$build" -DANCORA_BUILD_TESTS=ON -DANCORA_BUILD_BENCHMARKS=ON \
    >"$work/configure" 2>&1 || {
    cat "$work/configure" >&2
    fail "cannot configure in $build"
}
grep '\.cpp$' "$work/files" | while IFS= read -r file; do
    if grep -qF "\"file\": \"$root/$file\"" "$build/compile_commands.json"; then
        printf '%s\n' "$file"
    fi
done >"$work/sources"
if ! $all && [ "$(wc -l <"$work/sources")" -gt "$most_sources" ]; then
    say "clang-tidy looks at the first $most_sources of $(wc -l <"$work/sources") sources"
    sed -i "$((most_sources + 1)),\$d" "$work/sources"
fi

# Its own words go into a file each, so that those of two at a time do not mix.
end=$(($(date +%s) + most_seconds))
export tidy build work end
# shellcheck disable=SC2016  # the inner shell's variables
xargs -P "$(nproc)" -I{} sh -c '
    name=$(printf %s "$1" | tr / _)
    if [ "$(date +%s)" -ge "$end" ]; then
        echo "$1" >>"$work/left_out"
    elif ! "$tidy" -p "$build" --quiet --warnings-as-errors="*" "$1" >"$work/$name.tidy" 2>"$work/$name.errors"; then
        # without a finding it could not read the file
        [ -s "$work/$name.tidy" ] || cat "$work/$name.errors" >"$work/$name.tidy"
        echo "$1" >>"$work/found"
    fi' sh {} <"$work/sources"
if [ -s "$work/left_out" ]; then
    say "clang-tidy left out $(wc -l <"$work/left_out") sources, since $most_seconds s had passed"
fi
if [ -s "$work/found" ]; then
    cat "$work"/*.tidy
    say "clang-tidy: findings in $(sort "$work/found" | tr '\n' ' ')"
    [ -n "${ANCORA_LINT_ADVISE:-}" ] || findings=1
fi

[ $findings -ne 0 ] || say "no findings in $(wc -l <"$work/files") files"
exit $findings
