#!/usr/bin/env bash
# Standard streams that are closed or full, and Ctrl-C: an exit code and at most one line, and the results are not lost.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

cd "$TEST_TMPDIR"
small=(run --nodes 3 --threads 1 --warmup 1us --set workload.accounts_per_worker=1000)

# ended CODE LINES WHAT: the last command had this exit code and wrote so many lines to the file err.
ended() {
  [[ $code == "$1" ]] || fail "$3: exit code $code instead of $1"
  [[ $(wc -l <err) == "$2" ]] || fail "$3: not $2 lines: $(head -n 3 err)"
  ((!$2)) || [[ $(cat err) == "verbena: "* ]] || fail "$3: $(cat err)"
}

# The table cannot be printed; the JSON document is there nevertheless.
for stream in /dev/full '&-'; do
  rm -f results.json
  code=0
  if [[ $stream == '&-' ]]; then
    "$program" "${small[@]}" --duration 100us --json results.json >&- 2>err || code=$?
  else
    "$program" "${small[@]}" --duration 100us --json results.json >"$stream" 2>err || code=$?
  fi
  ended 1 1 "standard output $stream"
  [[ -s results.json ]] || fail "standard output $stream: no results"
done

# The document on standard output, what is for people beside it.
for command in "${small[*]} --duration 100us" 'explain read' 'bench read --nodes 2 --threads 1 --duration 20us'; do
  # shellcheck disable=SC2086  # several words
  "$program" $command --json - >out 2>err || fail "$command --json -: $(cat err)"
  python3 -c 'import json, sys; json.load(sys.stdin)' <out || fail "$command --json -: $(cat out)"
  grep -q '^again ' err || fail "$command --json -: no table: $(cat err)"
  [[ ! -e - ]] || fail "$command --json - made a file"
done

# Nowhere to complain.
code=0
"$program" run --threads 0 >out 2>&- || code=$?
: >err
ended 2 0 "standard error closed"

# Ctrl-C ends a run, which tells what it has measured until then.
for signal in INT TERM; do
  rm -f results.json
  code=0
  env --default-signal=$signal timeout --foreground --preserve-status --signal=$signal 3 \
    "$program" "${small[@]}" --duration 3600s --verify --json results.json >out 2>err || code=$?
  ended 130 0 "$signal"
  grep -q '^partial  *interrupted after ' out || fail "$signal: no word of it: $(cat out)"
  grep -q '^verification  *passed' out || fail "$signal: no verdict: $(cat out)"
  python3 - <<'PYTHON' || fail "$signal: the document"
import json
document = json.load(open("results.json"))
result = document["results"][0]
assert document["partial"] and document["verification"]["passed"]
assert 0 < result["seconds"] < 3600 and result["committed"] > 0
assert abs(result["throughput_per_s"] * result["seconds"] / result["committed"] - 1) < 1e-6
PYTHON
done
"$program" "${small[@]}" --duration 100us --json results.json >out
grep -q '"partial": false' results.json || fail "a whole run is not partial"
! grep -q '^partial' out || fail "a whole run is not partial: $(cat out)"

# Nothing is told of bench, and no file is left behind.
rm -f results.json
code=0
env --default-signal=INT timeout --preserve-status --signal=INT 2 \
  "$program" bench read --duration 60s --json results.json >out 2>err || code=$?
ended 130 0 "Ctrl-C of bench"
[[ ! -s out ]] || fail "Ctrl-C of bench: $(cat out)"
[[ -z $(find . -name '*.json*') ]] || fail "Ctrl-C of bench left a result file behind"

# SimGrid's words on a platform of an older version that it takes are not for users.
cat >older.xml <<'XML'
<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="l" bandwidth="100Gbps" latency="1us"/><route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>
XML
code=0
"$program" bench read --nodes 2 --threads 1 --duration 20us --platform older.xml >out 2>err || code=$?
ended 0 0 "a platform of version 4"
finish
