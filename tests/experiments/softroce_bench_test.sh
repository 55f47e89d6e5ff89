#!/usr/bin/env bash
# Every operation and loop of bench on a Soft-RoCE device. Counts of what completed are checked, not speed.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

short=(--fabric verbs --duration 150ms --warmup 20ms)

# completes LINE: something completes, and latencies are of it.
completes() {
  local words
  read -r -a words <<<"$1"
  expect 0 bench "${words[@]}" "${short[@]}"
  echo "== bench $1"
  echo "$out"
  [[ $out =~ ' '[1-9][0-9]*' completed in ' ]] || fail "bench $1 completed nothing"
  [[ $out == *'latency [us]'* ]] || fail "bench $1 has no latencies"
}

# per_operation COUNTER: its value in the last table.
per_operation() {
  sed -n "s/.* $1  *\([0-9.]*\).*/\1/p" "$TEST_TMPDIR/out"
}

for line in read write cas faa send 'rpc --payload 500 --request-payload 8' 'write-rpc --coroutines 2 --window 2' \
  'read --connections 3 --window 4' 'read --context shared --threads 2' 'write --servers 1 --nodes 3 --clients 2' \
  'read --loop raw --window 4' 'write --loop raw --window 4 --transport uc' 'cas --loop raw --connections 2' \
  'faa --loop raw --threads 2 --threads-per-queue-pair 2 --window 4' 'write --loop raw --window 8 --doorbell batched'; do
  completes "$line"
done
for primitive in one-sided two-sided; do
  completes "multi-read --objects 3 --primitive $primitive"
  completes "multi-write --objects 3 --primitive $primitive --coroutines 2 --outstanding --doorbell batched"
  completes "multi-write --objects 3 --primitive $primitive --coroutines 2 --outstanding --passive"
done

# The numbers of requests are those of the operations, up to those in flight at either end.
short=(--fabric verbs --duration 150ms --warmup 20ms)
completes 'multi-read --objects 4 --outstanding'
[[ $(per_operation worker.reads) == 4.0* || $(per_operation worker.reads) == 3.9* ]] || fail "not 4 READs per operation: $out"
completes 'write-rpc'
[[ $(per_operation worker.datagrams) == 2.0* || $(per_operation worker.datagrams) == 1.9* ]] || fail "not 2 WRITEs per call: $out"

# Lists.
expect 0 bench read --payload 8,64,4096 "${short[@]}"
echo "$out"
[[ $(grep -Ec '^ *(8|64|4096) +[1-9][0-9.]* [kM ]' "$TEST_TMPDIR/out") == 3 ]] || fail "not three measurements: $out"

# Doorbells of a worker's own are refused where the device does not have them.
start bench read --context own-doorbells "${short[@]}"
[[ $code == 0 || $err == *"has no thread domains"* ]] || fail "own doorbells: $err"

# A process for each node.
for line in 'read --loop raw' write-rpc; do
  processes=()
  for node in 0 1; do
    # shellcheck disable=SC2086  # several words
    "$program" bench $line --fabric verbs --peers 127.0.0.1:7001,127.0.0.1:7002 --node $node --duration 300ms --warmup 50ms \
      >"$TEST_TMPDIR/$node.out" 2>&1 </dev/null &
    processes+=($!)
  done
  for node in 0 1; do
    wait "${processes[node]}" || fail "bench $line: node $node ended with $?"
    cat "$TEST_TMPDIR/$node.out"
  done
  grep -q ' [1-9][0-9]* completed in ' "$TEST_TMPDIR/0.out" || fail "bench $line by two processes completed nothing"
done
finish
