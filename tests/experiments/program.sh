# shellcheck shell=bash
# For the tests that start the program as people do. A test sources this with the program's path in $1.

program=$(realpath "$1")
readonly program
failures=0

# fail TEXT notes a failure; the test goes on.
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# finish ends the test.
finish() {
  ((failures == 0)) || exit 1
}

# start ARGUMENT... runs the program; leaves its exit code in $code and what it wrote in $out and $err.
# shellcheck disable=SC2034  # used by the tests
start() {
  code=0
  "$program" "$@" >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/err" </dev/null || code=$?
  out=$(cat "$TEST_TMPDIR/out")
  err=$(cat "$TEST_TMPDIR/err")
}

# expect CODE ARGUMENT... runs the program and wants that exit code.
expect() {
  local wanted=$1
  shift
  start "$@"
  if [[ $code != "$wanted" ]]; then
    fail "exit code $code instead of $wanted: verbena $*"
    printf '%s\n%s\n' "$out" "$err"
  fi
}

# digest prints the trace digest of the last start.
digest() {
  sed -n 's/^trace digest *//p' "$TEST_TMPDIR/out"
}
