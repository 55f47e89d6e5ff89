#!/usr/bin/env bash
# Of two compute servers and two memory servers, a process each, a compute server is killed in the midst of a commit: the others
# finish what it had begun, go on, and everything adds up.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

peers=127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003,127.0.0.1:7004
options=(run --fabric verbs --verify --peers "$peers" --threads 1 --coroutines 2 --warmup 200ms --duration 3s --system nam
  --set nam.oracle_on_memory=true --set nam.journals=2 --set nam.heartbeat=10ms --set nam.suspect_after=200ms
  --workload smallbank --set workload.accounts_per_worker=500 --device rxe0 --gid-index 1)
killed=137 # 128 + SIGKILL

kill_at() {
  local point=$1
  processes=()
  for node in 0 1 2 3; do
    "$program" "${options[@]}" --set faults.kill_node=1 --set "faults.kill_at=$point" --set faults.kill_count=40 --node $node \
      >"$TEST_TMPDIR/$node.out" 2>&1 </dev/null &
    processes+=($!)
  done
  local code=0
  wait "${processes[1]}" || code=$?
  [[ $code == "$killed" ]] || {
    cat "$TEST_TMPDIR/1.out"
    fail "$point: node 1 was not killed, and ended with $code"
  }
  for node in 0 2 3; do
    wait "${processes[node]}" || {
      cat "$TEST_TMPDIR/$node.out"
      fail "$point: node $node ended with an error"
    }
    echo "== $point, node $node"
    cat "$TEST_TMPDIR/$node.out"
    grep -q '^verification    passed' "$TEST_TMPDIR/$node.out" || fail "$point: node $node did not verify"
  done
  grep -Eq ' [1-9][0-9]* committed in ' "$TEST_TMPDIR/0.out" || fail "$point: node 0 committed nothing"
}

kill_at "nam: all locks held"
kill_at "nam: new versions are being written"
finish
