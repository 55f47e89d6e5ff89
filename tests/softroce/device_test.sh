#!/usr/bin/env bash
# The guest's device works: libibverbs sees one active rxe0 with the properties that guest-session promises, and perftest's programs talk
# through it.
set -euo pipefail

fail() {
  echo "FAILED: $*"
  exit 1
}

ibv_devinfo -v >"$TEST_TMPDIR/devinfo" || fail "ibv_devinfo"
for line in 'hca_id:\s+rxe0$' 'state:\s+PORT_ACTIVE' 'active_mtu:\s+4096' 'GID\[ *1\]:.*::ffff:10\.9\.0\.1, RoCE v2'; do
  grep -qE "$line" "$TEST_TMPDIR/devinfo" || { cat "$TEST_TMPDIR/devinfo" && fail "no line $line"; }
done
[[ $(ulimit -l) == unlimited ]] || fail "memory cannot be locked"

# between PROGRAM ARGUMENT...: runs one of perftest's programs as server and client.
between() {
  echo "== $*"
  "$@" -d rxe0 -x 1 -F >"$TEST_TMPDIR/server" 2>&1 &
  local server=$! attempt
  for attempt in {1..40}; do
    ss -ltn | grep -q :18515 && break
    sleep 0.1
  done
  "$@" -d rxe0 -x 1 -F 10.9.0.1 || fail "$1 (started after $attempt looks at the port)"
  wait "$server" || fail "the server of $1"
}
between ib_read_lat -n 200 -s 8
between ib_send_lat -n 200 -s 8 -c UD
between ib_atomic_lat -n 200
