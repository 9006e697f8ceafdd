# What the project's commands share: steps with their times, and the set-up of a Debian machine. Sourced, never run.

set -eu
cd "$(dirname "$0")/.."
began=$(date +%s)

say() { printf '\n==> %s\n' "$*"; }

# step TEXT COMMAND…: says what is done, does it, says how long it took.
step() {
    local text=$1 start
    shift
    say "$text"
    start=$(date +%s)
    "$@"
    printf '    %s: %d s\n' "$text" $(($(date +%s) - start))
}

total() { printf '\n%s: done in %d s\n' "$(basename "$0")" $(($(date +%s) - began)); }

# need PACKAGE…: installs the Debian packages that are missing, where that is allowed.
need() {
    local missing=() package
    if ! command -v dpkg-query >/dev/null; then
        echo "This machine has no dpkg: make sure that the counterparts of these Debian packages are installed: $*"
        return 0
    fi
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" = 0 ]; then
        say "Installing ${missing[*]}"
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        say "Installing ${missing[*]}"
        sudo -n apt-get update -qq
        sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    else
        echo "Please install what is missing: apt-get install ${missing[*]}" >&2
        exit 2
    fi
}

# What builds the library and its programs.
build_packages="gcc libc6-dev cmake ninja-build git"

# What builds the tests as well.
test_packages="g++ libcmocka-dev libgmp-dev pkg-config libassimp-dev libcjson-dev"

# run_tests PRESET [OPTION…]: runs the tests of a preset that is built.
run_tests() {
    local preset=$1
    shift
    ctest --preset "$preset" --output-on-failure -j "$(nproc)" "$@"
    # ctest shows nothing of tests that pass; these are the faults that wait (tests/expected_failure.h).
    grep '^\[ EXPECTED \]' "build/$preset/Testing/Temporary/LastTest.log" || true
}

# build PRESET [OPTION…] [--target TARGET…]: configures and builds one preset, or some targets of it; what the compiler says is shown
# where it fails.
build() {
    local preset=$1 options=() log
    shift
    while [ $# -gt 0 ] && [ "$1" != --target ]; do
        options+=("$1")
        shift
    done
    log=$(mktemp)
    if CMAKE_GENERATOR=Ninja cmake --preset "$preset" "${options[@]}" >"$log" 2>&1 && cmake --build --preset "$preset" "$@" >>"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    cat "$log"
    rm -f "$log"
    return 1
}
