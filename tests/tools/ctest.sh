# shellcheck shell=bash
# Runs the tests of a preset and counts them. To be sourced after labs/setup.sh.
# shellcheck disable=SC2154

# run_ctest PRESET [ctest arguments]: what the tests say goes to stdout, then the line "N passed, N failed". Fails if a
# test fails or there is none.
run_ctest() {
    local preset=$1 report="$root/build/$1/ctest.xml" status=0 tests failed skipped
    shift
    rm -f "$report"
    # As many test programs at once as there are cores; threads that wait do not spin, since another program needs the core.
    (cd "$root" && OMP_WAIT_POLICY=passive ctest --preset "$preset" --parallel "$(nproc 2>/dev/null || echo 1)" \
        --no-tests=error --output-junit "$report" "$@") </dev/null || status=$?
    if [[ ! -r $report ]]; then
        echo "0 passed, 1 failed"
        return 1
    fi
    tests=$(attribute tests "$report")
    failed=$(attribute failures "$report")
    skipped=$(($(attribute skipped "$report") + $(attribute disabled "$report")))
    if ((skipped)); then echo "$skipped skipped"; fi
    if ((status != 0 && failed == 0)); then failed=1; fi
    echo "$((tests - failed - skipped)) passed, $failed failed"
    ((failed == 0))
}

# The number NAME="..." of the <testsuite> element, 0 if it has none.
attribute() {
    local value
    value=$(tr '\n\t' '  ' <"$2" | sed -n "s/.*<testsuite [^>]* $1=\"\([0-9]*\)\".*/\1/p")
    echo "${value:-0}"
}
