#!/usr/bin/env bash
# Three servers and two clients, a process each, on one Soft-RoCE device: replicated blocks, one of whose servers is killed meanwhile. The
# others go on without it, and all adds up.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

peers=127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003,127.0.0.1:7004,127.0.0.1:7005
options=(run --fabric verbs --verify --peers "$peers" --threads 1 --coroutines 2 --warmup 200ms --duration 8s --workload ycsb
  --set workload.records=500 --set blocks.suspect_after=1500ms --set blocks.heartbeat=50ms --device rxe0 --gid-index 1)
killed=137 # 128 + SIGKILL

for system in prism-rs abdlock; do
  processes=()
  for node in 0 1 2 3 4; do
    "$program" "${options[@]}" --system "$system" --set faults.kill_node=1 --set "faults.kill_at=prism: sign of life heard" \
      --set faults.kill_count=200 --node $node >"$TEST_TMPDIR/$node.out" 2>&1 </dev/null &
    processes+=($!)
  done
  code=0
  wait "${processes[1]}" || code=$?
  [[ $code == "$killed" ]] || {
    cat "$TEST_TMPDIR/1.out"
    fail "$system: node 1 was not killed, and ended with $code"
  }
  for node in 0 2 3 4; do
    wait "${processes[node]}" || {
      cat "$TEST_TMPDIR/$node.out"
      fail "$system: node $node ended with an error"
    }
    echo "== $system, node $node"
    cat "$TEST_TMPDIR/$node.out"
    grep -q '^verification    passed' "$TEST_TMPDIR/$node.out" || fail "$system: node $node did not verify"
  done
  for node in 3 4; do
    grep -Eq ' [1-9][0-9]* committed in ' "$TEST_TMPDIR/$node.out" || fail "$system: node $node committed nothing"
  done
done
finish
