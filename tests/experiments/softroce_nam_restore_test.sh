#!/usr/bin/env bash
# Of two compute servers and two memory servers, a process each, a memory server is killed: the others save what they know
# and fail, and the next cluster goes on where transactions had ended.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

peers=127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003,127.0.0.1:7004
options=(run --fabric verbs --verify --peers "$peers" --threads 1 --coroutines 2 --warmup 200ms --system nam
  --set nam.oracle_on_memory=true --set nam.journals=2 --workload smallbank --set workload.accounts_per_worker=500
  --device rxe0 --gid-index 1)
saved=$(mktemp -d "$TEST_TMPDIR/saved.XXXX") # a guest that stumbles begins again
killed=137 # 128 + SIGKILL
lost=3     # a run that failed

# Its processes, with these arguments, and how each has ended in `codes`.
run_cluster() {
  processes=()
  for node in 0 1 2 3; do
    "$program" "${options[@]}" "$@" --node $node >"$TEST_TMPDIR/$node.out" 2>&1 </dev/null &
    processes+=($!)
  done
  codes=()
  for node in 0 1 2 3; do
    local code=0
    wait "${processes[node]}" || code=$?
    codes+=("$code")
    echo "== node $node ended with $code"
    cat "$TEST_TMPDIR/$node.out"
  done
}

run_cluster --duration 60s --set "nam.checkpoints=$saved" --set nam.checkpoint_interval=200ms \
  --set faults.kill_node=3 --set "faults.kill_at=nam: checkpoint written" --set faults.kill_count=5
[[ "${codes[*]}" == "$lost $lost $lost $killed" ]] || fail "a memory server was killed; processes ended with ${codes[*]}"
for file in checkpoint.2 checkpoint.3 journals.2; do
  [[ -s $saved/$file ]] || fail "$file was not saved"
done

run_cluster --duration 1s --set "nam.restore=$saved"
[[ "${codes[*]}" == "0 0 0 0" ]] || fail "processes that began with what was saved ended with ${codes[*]}"
for node in 0 1 2 3; do
  grep -q '^verification    passed' "$TEST_TMPDIR/$node.out" || fail "node $node did not verify"
done
for node in 0 1; do
  grep -Eq ' [1-9][0-9]* committed in ' "$TEST_TMPDIR/$node.out" || fail "node $node committed nothing"
done
finish
