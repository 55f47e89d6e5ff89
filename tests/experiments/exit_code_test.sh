#!/usr/bin/env bash
# How the program ends when its input was right: verified or not, measured or not, with peers or without.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

cd "$TEST_TMPDIR"
small=(run --nodes 3 --threads 1 --warmup 0s)

# told CODE PART ARGUMENT...: this exit code, and one line on standard error that has this part.
told() {
  local wanted=$1 part=$2
  shift 2
  expect "$wanted" "$@"
  [[ $(wc -l <err) == 1 && $err == "verbena: "* ]] || fail "not one line: verbena $*: $err"
  [[ $err == *"$part"* ]] || fail "no '$part' in: $err"
}

# Nothing was measured: what was committed later is verified nevertheless.
pair=(bench read --nodes 2 --threads 1)
nothing='nothing completed in the 1.00 us that were measured'
told 5 "$nothing; what was in flight ended 2.84 us later: try --duration 20us or longer" "${pair[@]}" --duration 1us --warmup 0s
told 5 "$nothing; what was in flight ended" "${small[@]}" --duration 1us --verify --json short.json
[[ $out == *"verification    passed"* ]] || fail "no verdict: $out"
python3 - <<'PYTHON' || fail "no verdict in the document"
import json
document = json.load(open("short.json"))
assert document["verification"]["passed"] and document["results"][0]["committed"] == 0
assert document["results"][0]["counters"]["total"] > 0
PYTHON

# Following the advice helps, at once.
advice=${err##*--duration }
expect 0 "${small[@]}" --duration "${advice%% or longer*}"

told 5 'all coroutines ended during the warm-up of ' "${small[@]:0:5}" --warmup 1ms --duration 1ms --set run.max_transactions=1

# A timeline of nothing.
told 5 '--trace-from 5s: nothing begins from then on' "${pair[@]}" --duration 20us --trace late.json --trace-from 5s
told 5 '--trace-from 5ms: nothing begins from then on' "${small[@]}" --duration 200us --trace late.json --trace-from 5ms
told 5 '--trace-from 5s: nothing begins from then on' explain read --trace late.json --trace-from 5s
[[ ! -e late.json ]] || fail "a timeline of nothing was written"

# A link that goes down and stays so is named, with the time.
printf '0.0002 0\n' >down.txt
{
  echo '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
  echo '<platform version="4.1"><zone id="z" routing="Full">'
  for i in 0 1 2; do
    failing=''
    ((i != 1)) || failing='state_file="down.txt"'
    echo "<host id=\"h$i\" speed=\"1Gf\"/><link id=\"cable$i\" bandwidth=\"100Gbps\" latency=\"70ns\" $failing/>"
  done
  for i in '0 1' '0 2' '1 2'; do
    read -r from to <<<"$i"
    echo "<route src=\"h$from\" dst=\"h$to\"><link_ctn id=\"cable$from\"/><link_ctn id=\"cable$to\"/></route>"
  done
  echo '</zone></platform>'
} >down.xml
told 3 'link cable1 is down since 200us, and it is ' "${small[@]}" --duration 2ms --platform down.xml
[[ $err == *"queue pair "*" of simulated time" ]] || fail "does not name the queue pair and the time: $err"

# Devices that are not there.
if [[ ! -d /sys/class/infiniband || -z $(ls /sys/class/infiniband) ]]; then
  told 2 'verbena doctor tells what this machine has' run --fabric verbs
  told 2 'no RDMA device' doctor
  [[ $err != *'verbena doctor'* ]] || fail "doctor points to itself: $err"
fi
finish
