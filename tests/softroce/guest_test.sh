#!/usr/bin/env bash
# guest_test.sh [OPTION of run]... -- COMMAND [ARGUMENT]...: the Bazel test that softroce.bzl makes: run, for the time a test has.
#
# Promises: where no machine can run, the test is skipped: it says so and passes. With VERBENA_REQUIRE_GUEST=1 it fails instead. The
# command sees the test's variables, those of the sanitizers, and those that $GUEST_ENV names.
set -euo pipefail

# A test in another package is a link to this script.
run=$(dirname "$(readlink -f "$0")")/run
if ! reason=$("$run" --check); then
  if [[ ${VERBENA_REQUIRE_GUEST-} == 1 || ! $reason ]]; then
    echo "FAILED: $reason"
    exit 1
  fi
  echo "SKIPPED: $reason"
  exit 0
fi

# Shards deal the programs out among them, and not each its own tests.
if [[ -v TEST_TOTAL_SHARDS ]]; then
  touch "$TEST_SHARD_STATUS_FILE"
  dealt=() programs='' position=0
  for argument in "$@"; do
    if [[ ! $programs ]]; then
      dealt+=("$argument")
      [[ $argument != -- ]] || programs=1
    elif ((position++ % TEST_TOTAL_SHARDS == TEST_SHARD_INDEX)); then
      dealt+=("$argument")
    fi
  done
  set -- "${dealt[@]}"
  unset "${!TEST_SHARD@}" TEST_TOTAL_SHARDS
fi

# See guest-session for why a test may need another.
options=(--env=VERBENA_GUEST_TRIES=3)
for name in "${!TEST_@}" "${!TESTBRIDGE_@}" "${!RUNFILES_@}" {ASAN,UBSAN,TSAN}_OPTIONS ${GUEST_ENV-}; do
  [[ ! -v $name ]] || options+=("--env=$name=${!name}")
done
# Time to say why, before Bazel ends the test.
exec "$run" --timeout=$((TEST_TIMEOUT - 5)) "${options[@]}" "$@"
