#!/bin/sh
# Takes a bare Debian 12 to a running simulation or a test run: packages, build, start.
# SPDX-License-Identifier: BSD-3-Clause
#
#   sh cmake/bootstrap.sh run [MODEL [OPTION...]]   build what this model needs, then `ancora run` it
#   sh cmake/bootstrap.sh build                     build the program with all plugins, and the rest
#   sh cmake/bootstrap.sh test                      build, then all tests; CI=true: warnings fail
#   sh cmake/bootstrap.sh packages                  build, then Debian packages in build/release/packages
#   sh cmake/bootstrap.sh lint [OPTION...]          `sh cmake/lint.sh` with these arguments
#
# Needs root or sudo, but only where a package is missing. Standard output is left to the program
# that is run, so that `run MODEL --json` can be piped; everything else goes to standard error.

set -eu

# What a build needs.
packages="
    g++
    cmake
    ninja-build
    libboost-dev
    libboost-program-options-dev
    libeigen3-dev
    libspdlog-dev
    libfmt-dev nettle-dev
    libtomlplusplus-dev
    nlohmann-json3-dev
    libpugixml-dev
    libfcl-dev
    zlib1g-dev
"

# What only tests need, so "run" does without: for those of reports a browser, VTK's reader, gnuplot; 330 MB.
test_packages="
    doctest-dev
    libssl-dev
    python3
    python3-jsonschema
    python3-selenium
    python3-vtk9 python3-numpy
    python3-scipy python3-pip python3-setuptools python3-wheel
    pkgconf
    gnuplot-nox
    abigail-tools
    chromium
    chromium-driver
"

# What makes Debian packages.
package_packages="
    dpkg-dev
    file
"

# What cmake/lint.sh needs; with the packages of a build, since CMake asks for them.
lint_packages="
    clang-format-14
    clang-tidy-14
    doctest-dev
    git
    libssl-dev
"

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
build=$root/build/release

say() { printf 'bootstrap: %s\n' "$*" >&2; }
failure=1
fail() {
    say "error: $*"
    exit $failure
}

usage() {
    printf 'usage: sh %s run [MODEL [OPTION...]]\n       sh %s build\n       sh %s test\n' "$0" "$0" "$0"
    printf '       sh %s packages\n       sh %s lint [--all | BASE]\n' "$0" "$0"
}

# Prints the packages of the list that are not installed.
missing_packages() {
    for package in $packages; do
        # shellcheck disable=SC2016  # the format is dpkg-query's, not the shell's
        status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
        [ "$status" = installed ] || printf '%s ' "$package"
    done
}

# A fresh Debian has empty package lists, hence the update; it is skipped when nothing is missing.
install_packages() {
    # shellcheck disable=SC2086  # the list in one line
    { command -v dpkg-query && command -v apt-get; } >/dev/null ||
        fail "this is not a Debian-like system; install the equivalents of" $packages \
            "and build with: cmake --preset release && cmake --build --preset release"

    missing=$(missing_packages)
    [ -n "$missing" ] || return 0

    if [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif command -v sudo >/dev/null; then
        as_root=sudo
    else
        fail "packages are missing, and installing them takes root or sudo;" \
            "ask an administrator for: apt-get install --no-install-recommends $missing"
    fi

    say "installing $missing"
    # Unquoted on purpose: several packages, or no sudo at all. Another apt may hold the lock.
    apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300"
    # Lists that were fetched in this hour are good, unless a package has changed since.
    # shellcheck disable=SC2086
    if [ -n "$(find /var/lib/apt/lists/partial -maxdepth 0 -mmin -60 2>/dev/null)" ] &&
        $apt install -y --no-install-recommends $missing >&2; then
        return 0
    fi
    $apt update >&2 || fail "apt-get update failed; is the network up?"
    # shellcheck disable=SC2086
    $apt install -y --no-install-recommends $missing >&2 ||
        fail "apt-get could not install: $missing"
}

# configure [CMAKE_ARGUMENT...]: its long output is shown only if it fails. A new folder is set up for
# a build that is made once; one that was set up for daily work, by `cmake --preset release`, stays so.
configure() {
    mkdir -p "$build"
    grep -qs '^ANCORA_FIRST_BUILD:BOOL=OFF' "$build/CMakeCache.txt" ||
        set -- "$@" -DANCORA_FIRST_BUILD=ON
    (cd "$root" && cmake --preset release "$@") >"$build/configure.log" 2>&1 || {
        cat "$build/configure.log" >&2
        fail "cannot configure in $build; if the folder was copied from elsewhere, delete it"
    }
}

# compile TARGET...: says nothing when everything is up to date.
compile() {
    if ninja -C "$build" -n "$@" 2>/dev/null | grep -q 'no work to do'; then
        return 0
    fi
    say "building in $build"
    cmake --build "$build" --parallel "$(nproc)" --target "$@" >&2 ||
        fail "the build failed, see above"
}

# plugins_of MODEL: targets of the plugins whose types a model names; all where its text does not tell.
plugins_of() {
    if ! [ -f "$1" ] || grep -Eq '^[[:space:]]*(include|plugin_dirs)[[:space:]]*=' "$1"; then
        echo ancora_plugins
        return 0
    fi
    targets=
    for type in $(sed -n 's/.*type[[:space:]]*=[[:space:]]*"\([A-Za-z0-9_]*\)".*/\1/p' "$1" | sort -u); do
        of_type=
        for source in $(grep -ls "\"$type\"" "$root"/plugins/*/src/*.cpp); do
            plugin=${source#"$root"/plugins/}
            of_type="$of_type ${plugin%%/*}"
        done
        [ -n "$of_type" ] || {
            echo ancora_plugins
            return 0
        }
        targets="$targets $of_type"
    done
    # shellcheck disable=SC2086  # one line each
    printf '%s\n' $targets | sort -u
}

case ${1-} in
run)
    shift
    install_packages
    # Once is enough: the build itself configures again when a CMake file changes. Without the
    # tests, so that the first run comes soon; "test" adds them.
    [ -f "$build/build.ninja" ] || configure -DANCORA_BUILD_TESTS=OFF -DANCORA_BUILD_BENCHMARKS=OFF
    # No model, or options only: the example that the README starts with.
    case ${1-} in
    '' | -*) set -- "$root/examples/tumbling_box/model.toml" "$@" ;;
    esac
    if [ $# -eq 1 ]; then
        # shellcheck disable=SC2046  # several targets
        compile ancora_command $(plugins_of "$1")
        # What was made of the text is not sure, and then the rest is built as well.
        "$build/bin/ancora" check "$1" >/dev/null 2>&1 || compile ancora_plugins
        ninja -C "$build" -n ancora_plugins 2>/dev/null | grep -q 'no work to do' ||
            say "other plugins are built when a model needs them, or by: sh cmake/bootstrap.sh build"
    else
        compile ancora_command ancora_plugins
    fi
    exec "$build/bin/ancora" run "$@"
    ;;
build)
    [ $# -eq 1 ] || fail "\"build\" takes no arguments"
    install_packages
    [ -f "$build/build.ninja" ] || configure -DANCORA_BUILD_TESTS=OFF -DANCORA_BUILD_BENCHMARKS=OFF
    compile all
    say "built: $build/bin/ancora"
    ;;
test)
    [ $# -eq 1 ] || fail "\"test\" takes no arguments; to choose tests: ctest --preset release -R NAME"
    packages="$packages $test_packages"
    install_packages
    strict=OFF
    [ "${CI-}" = true ] && strict=ON
    # Benchmarks are no part of the tests.
    configure -DANCORA_BUILD_TESTS=ON -DANCORA_BUILD_BENCHMARKS=OFF -DANCORA_WARNINGS_AS_ERRORS=$strict
    compile all
    ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" ||
        fail "tests failed, see above"
    say "all tests passed"
    ;;
packages)
    [ $# -eq 1 ] || fail "\"packages\" takes no arguments"
    packages="$packages $package_packages"
    install_packages
    configure -DANCORA_BUILD_TESTS=OFF -DANCORA_BUILD_BENCHMARKS=OFF
    compile all
    (cd "$build" && cpack -G DEB >packages.log 2>&1) || {
        cat "$build/packages.log" >&2
        fail "the packages could not be made"
    }
    say "packages in $build/packages"
    ;;
lint)
    shift
    # As CTest has it for a test that cannot be run: findings end with 1.
    failure=77
    packages="$packages $lint_packages"
    install_packages
    exec sh "$root/cmake/lint.sh" "$@"
    ;;
-h | --help | help)
    usage
    ;;
*)
    usage >&2
    exit 2
    ;;
esac
