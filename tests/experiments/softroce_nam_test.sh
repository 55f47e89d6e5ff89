#!/usr/bin/env bash
# Two compute servers and two memory servers, or four that are both, a process each, on one Soft-RoCE device: NAM-DB commits, all adds up.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

peers=127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003,127.0.0.1:7004
options=(run --fabric verbs --verify --peers "$peers" --threads 1 --coroutines 2 --warmup 200ms --duration 1s --system nam
  --set nam.oracle_on_memory=true --device rxe0 --gid-index 1)

run_processes() {
  local name=$1
  shift
  processes=()
  for node in 0 1 2 3; do
    "$program" "${options[@]}" "$@" --node $node >"$TEST_TMPDIR/$node.out" 2>&1 </dev/null &
    processes+=($!)
  done
  for node in 0 1 2 3; do
    wait "${processes[node]}" || {
      cat "$TEST_TMPDIR/$node.out"
      fail "$name: node $node ended with an error"
    }
    echo "== $name, node $node"
    cat "$TEST_TMPDIR/$node.out"
    grep -q '^verification    passed' "$TEST_TMPDIR/$node.out" || fail "$name: node $node did not verify"
  done
  for node in 0 1; do
    grep -Eq ' [1-9][0-9]* committed in ' "$TEST_TMPDIR/$node.out" || fail "$name: node $node committed nothing"
  done
}

run_processes smallbank --workload smallbank --set workload.accounts_per_worker=500
run_processes "smallbank, vectors in the background" --workload smallbank --set workload.accounts_per_worker=500 \
  --set nam.background_snapshots=true
run_processes tpcc --workload tpcc --warehouses 2 --set workload.items=200 --set workload.customers_per_district=30 \
  --set workload.new_orders_per_warehouse=5000
run_processes "smallbank, locality" --workload smallbank --set workload.accounts_per_worker=500 --set nam.locality=true \
  --set nam.background_snapshots=true
run_processes "tpcc, locality" --workload tpcc --warehouses 4 --set workload.items=200 --set workload.customers_per_district=30 \
  --set workload.new_orders_per_warehouse=5000 --set nam.locality=true
finish
