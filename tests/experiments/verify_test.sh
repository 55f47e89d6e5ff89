#!/usr/bin/env bash
# Many small runs keep every promise of the verification: all systems, datagrams lost, duplicated and reordered, fine interleavings.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

# Few accounts, so that transactions meet.
short=(run --verify --duration 200us --warmup 20us)
small=("${short[@]}" --set workload.accounts_per_worker=50)
# Systems whose transactions are of one record.
stores=" abdlock pilaf prism-kv prism-rs "
cluster=(--nodes 4 --threads 2 --coroutines 4 --nics-per-node 1)

# verified ARGUMENT...: the run passes, commits and aborts something.
verified() {
  expect 0 "${small[@]}" "$@"
  [[ $out == *"verification    passed"* ]] || fail "no verification: ${small[*]} $*"
  [[ $out =~ ([0-9]+)\ committed && ${BASH_REMATCH[1]} != 0 ]] || fail "nothing was committed: ${small[*]} $*"
}

# Names stand in one line, "systems  A  B ...".
expect 0 list
systems=()
read -r -a systems <<<"$(sed -n 's/^systems *//p' "$TEST_TMPDIR/out")"
((${#systems[@]} >= 2)) || fail "list shows no systems: $out"

for seed in 1 2 3; do
  for system in "${systems[@]}"; do
    small=("${short[@]}" --set workload.accounts_per_worker=50)
    [[ $stores != *" $system "* ]] || small=("${short[@]}" --workload ycsb --set workload.records_per_worker=50)
    verified "${cluster[@]}" --seed "$seed" --system "$system"
    verified "${cluster[@]}" --seed "$seed" --system "$system" --set fabric.ud_loss=0.01
    verified "${cluster[@]}" --seed "$seed" --system "$system" --chaos
  done
done
small=("${short[@]}" --set workload.accounts_per_worker=50)
for seed in {11..16}; do
  verified "${cluster[@]}" --seed "$seed" --chaos --set fabric.ud_loss=0.01 --set fabric.ud_duplicate=0.01 --set fabric.ud_reorder=0.05
done
# Lines in chaos, but at one time: requests of a queue pair keep their order.
verified "${cluster[@]}" --chaos --set fabric.chaos_jitter_ns=0 --set fabric.chaos_interrupt_ns=0
verified "${cluster[@]}" --chaos --set run.shortest_log_rings=true
# Messages of RPCs as WRITEs, which chaos tears.
for seed in {1..20}; do
  for system in drtmh fasst drtmr; do
    verified "${cluster[@]}" --seed "$seed" --system "$system" --chaos --set rdma.rpc_transport=write-ring
  done
done
verified "${cluster[@]}" --system two-sided --set rdma.rpc_transport=write-ring
verified --nodes 1 --replicas 1 --threads 2
verified --nodes 3 --replicas 3 --threads 1 --coroutines 1
verified --nodes 5 --replicas 2 --threads 3 --nics-per-node 2
# Where nothing can be scanned, nothing is.
small=("${short[@]}" --workload stress)
verified "${cluster[@]}" --system prism-tx
finish
