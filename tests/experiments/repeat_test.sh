#!/usr/bin/env bash
# A simulated run is repeated by its seed and by the command line that it prints; another seed is another run.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

small=(--nodes 4 --threads 2 --nics-per-node 1 --coroutines 4 --duration 300us --warmup 50us --set workload.accounts_per_worker=2000)

# digest_of ARGUMENT... runs the program and prints the digest.
digest_of() {
  expect 0 "$@"
  digest
}

first=$(digest_of run "${small[@]}" --seed 7)
again=$(digest_of run "${small[@]}" --seed 7)
other=$(digest_of run "${small[@]}" --seed 8)
[[ $first =~ ^[0-9a-f]{16}$ ]] || fail "no digest: '$first'"
[[ $first == "$again" ]] || fail "seed 7 gave $first and $again"
[[ $first != "$other" ]] || fail "seeds 7 and 8 both gave $first"

# The environment and the working directory change nothing.
(cd / && env -i HOME=/nonexistent LC_ALL=C.UTF-8 MALLOC_PERTURB_=85 "$program" run "${small[@]}" --seed 7) >"$TEST_TMPDIR/out"
elsewhere=$(digest)
[[ $first == "$elsewhere" ]] || fail "another environment gave $elsewhere instead of $first"

# The printed command line, with overrides and chaos.
for extra in "--chaos" "--set fabric.ud_loss=0.01 --system two-sided" "--plan log=two-sided"; do
  # shellcheck disable=SC2086  # several words
  first=$(digest_of run "${small[@]}" --seed 9 $extra)
  read -r -a command <<<"$(sed -n 's/^again *verbena //p' "$TEST_TMPDIR/out")"
  again=$(digest_of "${command[@]}")
  [[ -n $first && $first == "$again" ]] || fail "verbena ${command[*]} gave $again instead of $first"
done

# bench repeats too.
for operation in read write send rpc write-rpc cas faa multi-read "multi-write --passive --outstanding" \
  "read --loop raw" "read --connections 3"; do
  # shellcheck disable=SC2206  # several words
  bench=(bench $operation --nodes 3 --threads 2 --duration 50us --warmup 10us)
  first=$(digest_of "${bench[@]}" --seed 7)
  again=$(digest_of "${bench[@]}" --seed 7)
  other=$(digest_of "${bench[@]}" --seed 8)
  [[ -n $first && $first == "$again" ]] || fail "bench $operation: seed 7 gave $first and $again"
  [[ $first != "$other" ]] || fail "bench $operation: seeds 7 and 8 both gave $first"
done
finish
