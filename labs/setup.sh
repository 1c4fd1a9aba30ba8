# shellcheck shell=bash
# What labs/run, tests/run and .ci/run share: install what is missing, build, and say so on stderr. To be sourced by a
# script that runs with `set -euo pipefail`; that script sets `root` (the project's folder) and `self` (how it is called
# in messages).
# shellcheck disable=SC2034,SC2154

# What the project needs, one a line: how to recognise it, its package in Debian and Ubuntu (the first of several that
# apt knows), and its name for people who have another system. A command is looked for in PATH, a header is asked for by
# package where there is dpkg, else of the compiler; for `links` Clang tries to link a program with that flag.
program_needs=(
    "command:c++               g++                                     a C++20 compiler (GCC 11 or Clang 14, or later)"
    "command:cmake             cmake                                   CMake 3.22 or later"
    "command:ninja             ninja-build                             Ninja"
    "command:pkg-config        pkg-config|pkgconf                      pkg-config"
    "header:armadillo          libarmadillo-dev                        Armadillo"
    "header:cblas.h            libopenblas-openmp-dev|libopenblas-dev  OpenBLAS (best its OpenMP build)"
    "header:fmt/core.h         libfmt-dev                              fmt"
    "header:CLI/CLI.hpp        libcli11-dev                            CLI11"
    "header:nlohmann/json.hpp  nlohmann-json3-dev                      nlohmann-json 3"
    "header:pcre2.h            libpcre2-dev                            PCRE2"
    "header:utf8proc.h         libutf8proc-dev                         utf8proc"
    "header:zip.h              libzip-dev                              libzip"
    "header:md4c.h             libmd4c-dev                             md4c"
    "header:histedit.h         libedit-dev                             libedit"
)
test_needs=(
    "header:doctest/doctest.h  doctest-dev                             doctest"
)
clang_needs=(
    "command:clang++-14        clang-14|clang                          Clang 14"
    "library:libomp-14         libomp-14-dev|libomp-dev                Clang's OpenMP library"
    "links:-fsanitize=address  libclang-rt-14-dev|libclang-common-14-dev  Clang's sanitizers"
)
style_needs=(
    "command:clang-format-14   clang-format-14|clang-format            clang-format 14"
    "command:clang-tidy-14     clang-tidy-14|clang-tidy                clang-tidy 14"
    "command:python3           python3                                 Python 3"
    "${clang_needs[@]}"
)

# The tool of version 14 if there is one, else the one without a number.
tool() { if command -v "$1-14" >/dev/null 2>&1; then echo "$1-14"; else echo "$1"; fi; }

say() { printf '%s: %s\n' "$self" "$*" >&2; }

# kind, sign, packages, label of one line of the lists above.
parse_need() {
    local what
    read -r what packages label <<<"$1"
    kind=${what%%:*}
    sign=${what#*:}
}

have_command() {
    case $1 in
        c++) command -v "${CXX:-c++}" >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 ;;
        *-14) command -v "$1" >/dev/null 2>&1 || command -v "${1%-14}" >/dev/null 2>&1 ;;
        *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# Whether Clang can make a program with this flag.
clang_links() {
    local clang
    clang=$(tool clang++)
    command -v "$clang" >/dev/null 2>&1 && echo 'int main() {}' | "$clang" "$1" -x c++ - -o /dev/null >/dev/null 2>&1
}

# The packages among the arguments that dpkg has, one a line.
installed_packages() {
    # An unknown name makes dpkg-query fail, but it still answers for the others.
    # shellcheck disable=SC2016
    { dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null || true; } | sed -n 's/^ii  *//p'
}

# The headers among the arguments that the compiler does not find, one a line. Without a compiler: all.
missing_headers() {
    local header
    for header in "$@"; do
        printf '#if !__has_include(<%s>) && !__has_include(<openblas/%s>)\nMISSING %s\n#endif\n' \
            "$header" "$header" "$header"
    done | { "${CXX:-c++}" -std=c++17 -x c++ -E -P - 2>/dev/null || printf 'MISSING %s\n' "$@"; } |
        sed -n 's/^MISSING //p' | tr -d ' '
}

# Sets `missing` to those of the given needs that are not there.
find_missing() {
    local need package kind sign packages label dpkg=no found=" " lost=" " names=()
    if command -v dpkg-query >/dev/null 2>&1; then
        dpkg=yes
        for need in "$@"; do
            parse_need "$need"
            IFS='|' read -ra package <<<"$packages"
            names+=("${package[@]}")
        done
        found=" $(installed_packages "${names[@]}" | tr '\n' ' ')"
    else
        for need in "$@"; do
            parse_need "$need"
            if [[ $kind == header ]]; then names+=("$sign"); fi
        done
        if ((${#names[@]})); then lost=" $(missing_headers "${names[@]}" | tr '\n' ' ')"; fi
    fi
    missing=()
    for need in "$@"; do
        parse_need "$need"
        if [[ $kind == command ]]; then
            have_command "$sign" || missing+=("$need")
        elif [[ $kind == links ]]; then
            clang_links "$sign" || missing+=("$need")
        elif [[ $dpkg == yes ]]; then
            missing+=("$need")
            for package in ${packages//|/ }; do
                if [[ $found == *" $package "* ]]; then
                    unset 'missing[-1]'
                    break
                fi
            done
        elif [[ $kind == header && $lost == *" $sign "* ]]; then
            missing+=("$need")
        fi
    done
}

# "NAME, NAME" for people without apt.
labels_of() {
    local need kind sign packages label text=""
    for need in "$@"; do
        parse_need "$need"
        text+="${text:+, }$label"
    done
    printf '%s' "$text"
}

# The packages of the needs, the first alternative of each that apt knows (or the very first).
packages_of() {
    local need kind sign packages label package names=()
    for need in "$@"; do
        parse_need "$need"
        local chosen=${packages%%|*}
        if [[ $packages == *"|"* ]] && command -v apt-cache >/dev/null 2>&1; then
            for package in ${packages//|/ }; do
                if apt-cache show "$package" >/dev/null 2>&1; then
                    chosen=$package
                    break
                fi
            done
        fi
        names+=("$chosen")
    done
    printf '%s' "${names[*]}"
}

# Runs apt-get as root; everything it says goes to stderr, and it never reads what is meant for the lab.
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" \
        </dev/null >&2
}

# Sets `as_root` to what makes a command run as root, or fails.
find_root() {
    as_root=()
    if ((EUID == 0)); then return 0; fi
    command -v sudo >/dev/null 2>&1 || return 1
    if sudo -n true </dev/null >/dev/null 2>&1; then
        as_root=(sudo -n)
    elif [[ -t 0 && -t 2 ]]; then
        as_root=(sudo) # asks for the password on the terminal
    else
        return 1
    fi
}

# Installs what `missing` names. Fails, having said why, if that cannot be done.
install_missing() {
    local names
    if ! command -v apt-get >/dev/null 2>&1; then
        say "there is no apt here to install what seems to be missing: $(labels_of "${missing[@]}")"
        return 1
    fi
    if ! find_root; then
        say "not root, and sudo cannot be used: please have these packages installed:"
        say "    apt-get install $(packages_of "${missing[@]}")"
        return 1
    fi
    # The package lists are fetched only if they do not know a name, or are so old that a download fails.
    local updated=no
    read -ra names <<<"$(packages_of "${missing[@]}")"
    if ! apt-get install -s -qq --no-install-recommends "${names[@]}" >/dev/null 2>&1 </dev/null; then
        say "fetching apt's package lists"
        apt update || say "warning: apt-get update failed"
        updated=yes
        read -ra names <<<"$(packages_of "${missing[@]}")"
    fi
    say "installing with apt: ${names[*]}"
    apt install -y --no-install-recommends "${names[@]}" && return 0
    if [[ $updated == no ]]; then
        apt update && apt install -y --no-install-recommends "${names[@]}" && return 0
    fi
    say "warning: apt could not install: ${names[*]}"
    return 1
}

# need LIST...: installs what is missing of the lists; what stays missing is in `missing`. Never fails: the build says
# whether it can do without.
need() {
    find_missing "$@"
    if ((${#missing[@]})); then
        if install_missing; then
            find_missing "$@"
        else
            say "going on without"
        fi
    fi
}

# Says what is missing after a step failed.
blame_missing() {
    if ((${#missing[@]})); then
        say "error: $1; missing: $(labels_of "${missing[@]}")"
        say "help: on Debian or Ubuntu: apt-get install $(packages_of "${missing[@]}")"
    else
        say "error: $1; the messages above say why"
    fi
}

# As many compilers at once as there are cores, but 1 GiB of memory for each.
build_jobs() {
    local cores memory=0 jobs
    cores=$(nproc 2>/dev/null || echo 1)
    jobs=$cores
    if [[ -r /proc/meminfo ]]; then
        memory=$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo)
        if ((memory > 0 && memory < jobs)); then jobs=$memory; fi
    fi
    echo "$jobs"
}

# configure PRESET [cmake arguments]: quiet unless it fails.
configure() {
    local preset=$1 folder="$root/build/$1" home log
    shift
    command -v cmake >/dev/null 2>&1 || return 1
    mkdir -p "$folder"
    log="$folder/configure.log"
    # A build folder that was copied along with the project belongs to the old place: CMake refuses it.
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt" 2>/dev/null || true)
    if [[ -n $home && $home != "$root" ]]; then
        say "build/$preset was made for $home: starting afresh"
        rm -rf "${folder:?}"
        mkdir -p "$folder"
    fi
    if ! (cd "$root" && cmake --preset "$preset" "$@") </dev/null >"$log" 2>&1; then
        cat "$log" >&2
        return 1
    fi
}

# build PRESET [TARGET...]: ninja's progress goes to stderr.
build() {
    local preset=$1 jobs
    shift
    jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(build_jobs)}
    if (($#)); then set -- --target "$@"; fi
    (cd "$root" && cmake --build --preset "$preset" --parallel "$jobs" "$@") </dev/null >&2
}

# Holds the lock of a build folder on descriptor 9 until unlock_build (or the end), so that two starts at once do not
# build in the same folder.
lock_build() {
    mkdir -p "$root/build/$1" 2>/dev/null || true
    if [[ ! -w $root/build || ! -w $root/build/$1 ]]; then
        say "error: cannot write to $root/build/$1, so that nothing can be built"
        return 1
    fi
    if ! command -v flock >/dev/null 2>&1; then return 0; fi
    exec 9>"$root/build/$1.lock"
    if ! flock -n 9; then
        say "waiting for another start that is building"
        flock 9
    fi
}

unlock_build() { exec 9>&-; }
