#!/usr/bin/env bash
# Systems keep their promises when the peers' cores carry out their one-sided requests, and these cost calls.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

cluster=(run --verify --prism software --nodes 6 --threads 2 --coroutines 3 --nics-per-node 1 --duration 150us --warmup 0s)
dies=(--set faults.kill_node=1 --set faults.kill_at='nam: new versions are being written' --set faults.kill_count=5)

# verified ARGUMENT...: the run passes and commits something.
verified() {
  expect 0 "${cluster[@]}" "$@"
  [[ $out == *"verification    passed"* ]] || fail "no verification: ${cluster[*]} $*"
  [[ $out =~ ([0-9]+)\ committed && ${BASH_REMATCH[1]} != 0 ]] || fail "nothing was committed: ${cluster[*]} $*"
}

digests=()
few=(--set workload.accounts_per_worker=50)
quick=(--set rdma.rpc_timeout=50us --set rdma.rpc_max_timeout=1ms --set rdma.rpc_ack_delay=10us --set rdma.rpc_retries=30)
for system in drtmh farm fasst nam; do
  verified --system "$system" "${few[@]}"
  verified --system "$system" "${few[@]}" --chaos
  verified --system "$system" "${few[@]}" "${quick[@]}" --chaos --set fabric.ud_loss=0.02 --set fabric.ud_reorder=0.05
  verified --system "$system" --workload tpcc --chaos
done
verified --system drtmh "${few[@]}" --chaos --connections 3
verified --system farm --workload stress --chaos --set rdma.rpc_transport=write-ring
verified --system nam "${few[@]}" --chaos --set nam.journals=2 --set nam.heartbeat=20us --set nam.suspect_after=10ms
verified --system nam "${few[@]}" --chaos --set nam.journals=2 --set nam.heartbeat=20us --set nam.suspect_after=10ms \
  "${dies[@]}"

# By NICs, as without the flag, and not by them.
for who in auto nic software; do
  expect 0 run --nodes 3 --threads 1 --duration 100us --warmup 0s --prism "$who"
  digests+=("$(digest)")
done
[[ ${digests[0]} == "${digests[1]}" ]] || fail "nic is not as auto: ${digests[*]}"
[[ ${digests[0]} != "${digests[2]}" ]] || fail "software is as auto: ${digests[*]}"
for operation in read write cas faa; do
  expect 0 bench "$operation" --nodes 3 --threads 2 --duration 50us --prism software
done
expect 0 bench multi-write --objects 5 --outstanding --passive --nodes 3 --threads 2 --duration 50us --prism software
finish
