#!/usr/bin/env bash
# Three processes on one Soft-RoCE device commit SmallBank transactions and agree that everything adds up.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

peers=127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003
options=(run --fabric verbs --verify --peers "$peers" --threads 2 --coroutines 4 --warmup 200ms
  --set workload.accounts_per_worker=500 --device rxe0 --gid-index 1)

# committed_of NODE prints what the document of that node says.
committed_of() {
  sed -n 's/^      "committed": \([0-9]*\),$/\1/p' "$TEST_TMPDIR/$1.json"
}

# part_of NODE prints what the document of node 0 says of that node's part.
part_of() {
  grep -B1 "^          \"node\": $1," "$TEST_TMPDIR/0.json" | sed -n 's/^          "committed": \([0-9]*\),$/\1/p'
}

expect 0 doctor
[[ $out == *"device rxe0"* && $out == *"would use: rxe0 port 1, GID 1"* ]] || fail "doctor says: $out"
[[ $out == *"atomics: tried, as locks need them"* ]] || fail "doctor says of atomics: $out"

for system in drtmh two-sided; do
  processes=()
  for node in 0 1 2; do
    "$program" "${options[@]}" --duration 1s --system $system --node $node --json "$TEST_TMPDIR/$node.json" \
      >"$TEST_TMPDIR/$node.out" 2>&1 </dev/null &
    processes+=($!)
  done
  for node in 0 1 2; do
    wait "${processes[node]}" || fail "$system: node $node ended with $?"
    echo "== $system, node $node"
    cat "$TEST_TMPDIR/$node.out"
    grep -q '^verification    passed' "$TEST_TMPDIR/$node.out" || fail "$system: node $node did not verify"
    grep -Eq ' [1-9][0-9]* committed in ' "$TEST_TMPDIR/$node.out" || fail "$system: node $node committed nothing"
  done

  # Node 0 tells of all, each of the others of itself.
  grep -q '^sum of  *node 0 .*, node 1 .*, node 2 ' "$TEST_TMPDIR/0.out" || fail "$system: node 0 does not tell what it sums up"
  sum=0
  for node in 0 1 2; do
    own=$(part_of $node)
    [[ $own =~ ^[1-9][0-9]*$ ]] || fail "$system: node 0 tells '$own' of node $node"
    ((node == 0)) || [[ $own == "$(committed_of $node)" ]] || fail "$system: node $node has $(committed_of $node), node 0 tells $own"
    ((node == 0)) || grep -q " of node $node alone; " "$TEST_TMPDIR/$node.out" || fail "$system: node $node does not say that it is alone"
    sum=$((sum + own))
  done
  [[ $sum == "$(committed_of 0)" ]] || fail "$system: node 0 has $(committed_of 0), the sum is $sum"
done

# All nodes in one process.
expect 0 run --fabric verbs --verify --nodes 3 --threads 1 --duration 1s --set workload.accounts_per_worker=500
echo "$out"

expect 0 run --fabric verbs --verify --nodes 3 --threads 1 --duration 1s --set workload.accounts_per_worker=500 \
  --set rdma.rpc_transport=write-ring
echo "$out"
[[ $out =~ ([0-9]+)\ committed && ${BASH_REMATCH[1]} != 0 ]] || fail "nothing was committed over write-ring: $out"

# A peer that never comes is named.
expect 3 run --fabric verbs --peers 127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003 --node 0 --bring-up-timeout 2s
[[ $err == "verbena: "*7002* || $err == "verbena: "*7003* ]] || fail "the missing peer is not named: $err"

# One that is killed in mid-run, too, by those that live.
processes=()
for node in 0 1 2; do
  "$program" "${options[@]}" --duration 60s --system one-sided --node $node >"$TEST_TMPDIR/$node.out" 2>&1 </dev/null &
  processes+=($!)
done
sleep 10
kill -9 "${processes[2]}"
for node in 0 1; do
  code=0
  wait "${processes[node]}" || code=$?
  cat "$TEST_TMPDIR/$node.out"
  [[ $code == 3 ]] || fail "node $node ended with $code after node 2 was killed"
  grep -q '^partial ' "$TEST_TMPDIR/$node.out" || fail "node $node does not say that it tells of a part"
  grep -Eq " of node $node alone; [1-9][0-9]* committed in " "$TEST_TMPDIR/$node.out" || fail "node $node lost what it had measured"
done
grep -q '^verbena: .*node 2 (127.0.0.1:7003)' "$TEST_TMPDIR/0.out" || grep -q '^verbena: .*node 2 (127.0.0.1:7003)' "$TEST_TMPDIR/1.out" ||
  fail "nobody names the killed node with its address"

# Ports and addresses that are not there.
expect 2 run --fabric verbs --device rxe7
[[ $err == *"rxe0"* ]] || fail "no nearest device: $err"
expect 2 run --fabric verbs --device rxe0 --gid-index 200
expect 2 run --fabric verbs --device rxe0 --port 9
ip link set rdma0 down
expect 2 run --fabric verbs
[[ $(wc -l <"$TEST_TMPDIR/err") == 1 ]] || fail "not one line: $err"
echo "$err"
finish
