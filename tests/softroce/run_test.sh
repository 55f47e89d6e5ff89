#!/usr/bin/env bash
# run keeps what its header promises.
set -uo pipefail

here=$(dirname "$0")
guest_test=$here/guest_test.sh
scratch=$(mktemp -d /tmp/run_test.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect WHAT ACTUAL WANTED
expect() {
  [[ $2 == "$3" ]] && return
  echo "FAILED: $1: got '$2', not '$3'"
  failures=1
}

# Where machines cannot run: skipped, or failed if a run is required.
output=$(VERBENA_GUEST_KERNEL=/nonexistent VERBENA_REQUIRE_GUEST=0 "$guest_test" -- true)
expect "exit code of a skipped test" $? 0
expect "a skipped test speaks" "${output%%:*}" SKIPPED
output=$(VERBENA_GUEST_KERNEL=/nonexistent VERBENA_REQUIRE_GUEST=1 "$guest_test" -- true)
expect "exit code where a guest is required" $? 1

# Shards deal out programs, of which each then runs all of its own tests.
mkdir "$scratch/dealing"
cp "$guest_test" "$scratch/dealing"
cat >"$scratch/dealing/run" <<'X'
#!/bin/bash
[[ $1 == --check ]] || printf '%s\n' "$@"
X
chmod +x "$scratch/dealing/run"
# dealt INDEX: what the shard runs, and the variables of shards.
dealt() {
  TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=$1 TEST_SHARD_STATUS_FILE=$scratch/dealing/status TEST_TIMEOUT=60 \
    "$scratch/dealing/guest_test.sh" --each -- a b c | grep -e SHARD -e '^[^-]' -e '^--$'
}
expect "programs of the first shard" "$(dealt 0)" $'--\na\nc'
expect "programs of the second shard" "$(dealt 1)" $'--\nb'
expect "the shards' file" "$(ls "$scratch/dealing/status")" "$scratch/dealing/status"
rm -r "$scratch/dealing"

if ! "$here/run" --check >/dev/null; then
  VERBENA_REQUIRE_GUEST=${VERBENA_REQUIRE_GUEST-} "$guest_test" -- true
  exit
fi

# Two machines at the same time, one of which does not end by itself.
"$here/run" --cpus=1 --timeout=20 'echo begun; sleep 1000' >"$scratch/slow" 2>"$scratch/slow-errors" &
slow=$!

cat >"$scratch/command" <<'X'
#!/bin/bash
echo "[$1] [$2] [$VALUE] $(pwd)"
echo "to standard error" >&2
touch "$(dirname "$0")/written" && ls "$(dirname "$0")"
exit 7
X
chmod +x "$scratch/command"
# shellcheck disable=SC2016  # a literal dollar sign
output=$("$here/run" --cpus=1 --env=VALUE='a "b" $c' "$scratch/command" 'x  y' "z'")
expect "exit code" $? 7
expect "output" "$output" "[x  y] [z'] [a \"b\" \$c] $PWD
to standard error
command
slow
slow-errors
written"
expect "files on the host" "$(ls "$scratch")" "command
slow
slow-errors"

# After requests were sent again a command that fails is run anew; not without them, and not more often than allowed.
cat >"$scratch/flaky" <<'X'
#!/bin/bash
echo run
[[ -e /tmp/ran ]] && exit 0
touch /tmp/ran
echo "$1" >/tmp/resent
exit 3
X
chmod +x "$scratch/flaky"
# flaky TRIES RESENT: what a command prints that fails once, and its exit code.
flaky() {
  "$here/run" --cpus=1 --env=VERBENA_GUEST_TRIES="$1" --env=VERBENA_GUEST_RESENT=/tmp/resent "$scratch/flaky" "$2" | grep -c '^run$'
  echo "${PIPESTATUS[0]}"
}
expect "runs after requests were sent again" "$(flaky 2 1)" $'2\n0'
expect "runs when none were" "$(flaky 2 0)" $'1\n3'
expect "runs where one is allowed" "$(flaky 1 1)" $'1\n3'
rm "$scratch/flaky"

# One machine runs several commands, each on a new device; what one fails of does not keep the others from running.
cat >"$scratch/ends_0" <<'X'
#!/bin/bash
description=/sys/class/infiniband/rxe0/node_desc
[[ $(<$description) == rxe ]] || exit 9
echo used >$description
exit "${0##*_}"
X
chmod +x "$scratch/ends_0"
cp "$scratch/ends_0" "$scratch/ends_3"
output=$("$here/run" --cpus=1 --each "$scratch/ends_0" "$scratch/ends_3" "$scratch/ends_0")
expect "exit code of the one that fails" $? 3
expect "commands" "$output" "guest: $scratch/ends_0
guest: $scratch/ends_3
guest: $scratch/ends_0"
rm "$scratch"/ends_*

# A machine that does not boot in time is tried three times.
"$here/run" --cpus=1 --boot=1 true 2>"$scratch/errors"
expect "exit code without a machine that boots" $? 125
expect "machines that were tried" "$(grep -c '^run: the command has not begun within 1 s' "$scratch/errors")" 3

wait "$slow"
expect "exit code after the time limit" $? 125
expect "output until the time limit" "$(<"$scratch/slow")" begun
expect "reason" "$(grep ^run: "$scratch/slow-errors" | head -n 1)" "run: switched off after 20 s"
exit "$failures"
