#!/usr/bin/env bash
# The latency of one READ at a time, beside what perftest measures on the same device. It is printed, not judged: the machine is emulated.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

# perftest_median prints what ib_read_lat calls typical, in microseconds.
perftest_median() {
  ib_read_lat -d rxe0 -x 1 -F -s 64 -n 1000 >"$TEST_TMPDIR/server" 2>&1 &
  local server=$!
  for _ in {1..50}; do
    ss -ltn | grep -q :18515 && break
    sleep 0.1
  done
  ib_read_lat -d rxe0 -x 1 -F -s 64 -n 1000 127.0.0.1 >"$TEST_TMPDIR/client" 2>&1 || cat "$TEST_TMPDIR/client" >&2
  wait $server
  awk '$1 == 64 && NF >= 8 { print $5 }' "$TEST_TMPDIR/client"
}

# verbena_median prints p50 of two nodes in one process, the second of which only answers. The table leaves it out where the emulated
# machine hiccups so much that it is not known well.
verbena_median() {
  start bench read --fabric verbs --payload 64 --duration 300ms --json "$TEST_TMPDIR/results.json"
  echo "$out" "$err" >&2
  sed -n 's/^ *"p50": \([0-9.]*\),*$/\1/p' "$TEST_TMPDIR/results.json"
}

for pair in 1 2; do
  theirs=$(perftest_median)
  ours=$(verbena_median)
  [[ $theirs =~ ^[0-9.]+$ && $ours =~ ^[0-9.]+$ ]] || { fail "no median: ib_read_lat '$theirs', verbena '$ours'" && continue; }
  ratio=$(awk "BEGIN { printf \"%.2f\", $ours / $theirs }")
  echo "pair $pair: READ of 64 B, median: ib_read_lat $theirs us, verbena $ours us, ratio $ratio"
done
finish
