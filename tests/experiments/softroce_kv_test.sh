#!/usr/bin/env bash
# A server and two clients, a process each, on one Soft-RoCE device: key-value stores and PRISM-TX commit, and all adds up.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

peers=127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003
options=(run --fabric verbs --verify --peers "$peers" --threads 1 --coroutines 2 --warmup 200ms --duration 1s
  --set prism.suspect_after=20s --device rxe0 --gid-index 1)

# run_processes NAME WORKLOAD ARGUMENT...
run_processes() {
  local name=$1 workload=$2
  shift 2
  processes=()
  for node in 0 1 2; do
    "$program" "${options[@]}" --workload "$workload" "$@" --node $node >"$TEST_TMPDIR/$node.out" 2>&1 </dev/null &
    processes+=($!)
  done
  for node in 0 1 2; do
    wait "${processes[node]}" || {
      cat "$TEST_TMPDIR/$node.out"
      fail "$name: node $node ended with an error"
    }
    echo "== $name, node $node"
    cat "$TEST_TMPDIR/$node.out"
    grep -q '^verification    passed' "$TEST_TMPDIR/$node.out" || fail "$name: node $node did not verify"
  done
  for node in 1 2; do
    grep -Eq ' [1-9][0-9]* committed in ' "$TEST_TMPDIR/$node.out" || fail "$name: node $node committed nothing"
  done
}

for system in prism-kv pilaf; do
  run_processes "$system" ycsb --system "$system" --set workload.records_per_worker=1000
done
# Each update adds one to what it has read: none is lost.
run_processes "prism-kv, updates" ycsb --system prism-kv --set workload.records_per_worker=20 --set workload.update=change
run_processes "prism-kv, keys that come" ycsb --system prism-kv --set workload.records_per_worker=1000 --set workload.core=D
run_processes "prism-tx" ycsb --system prism-tx --set workload.records_per_worker=20 --set workload.keys_per_transaction=3
run_processes "prism-tx, money" smallbank --system prism-tx --set workload.accounts_per_worker=50
finish
