#!/usr/bin/env bash
# `verbena reproduce` as people start it: verdicts, files, what is measured again and what is not, interruptions, errors.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/../program.sh"

reads=$(realpath "$(dirname "$0")/../reads.toml")
profiles=$(realpath simnic/profiles)
cd "$TEST_TMPDIR"

# figure NAME DURATION: a figure of four points whose first claim holds and whose second does not.
figure() {
  sed "s/duration = \"20us\"/duration = \"$2\"/" "$reads" >"$1.toml"
}

# says TEXT: the last start printed it.
says() { [[ $out == *"$1"* ]] || fail "no '$1' in: $out"; }
# modified: when each point was written.
modified() { stat -c '%n %y' results/points/*; }

figure tiny 20us
expect 0 reproduce tiny.toml --out results
says 'more requests are more throughput'
[[ $out =~ T1\ +holds\ +holds\ at\ 2\ places\ +holds ]] || fail "T1 does not hold: $out"
[[ $out =~ T2\ +about\ 100000\ M/s\ .*off\ by\ -100\ % ]] || fail "T2 is not off: $out"
says '4: 0 measured before, 0 failed'
for file in reproduce.json claims.md index.html tiny.csv tiny.gnuplot; do
  [[ -s results/$file ]] || fail "no $file"
done
if command -v gnuplot >/dev/null; then
  [[ $(head -c 4 results/tiny.png) == $'\x89PNG' ]] || fail "no PNG"
  grep -q '</svg>' results/tiny.svg || fail "no SVG"
  grep -q 'src="data:image/svg+xml;base64,' results/index.html || fail "no plot in the page"
fi
[[ $(wc -l <results/tiny.csv) == 5 ]] || fail "not a line per point: $(cat results/tiny.csv)"
grep -q '| T2 | tiny |' results/claims.md || fail "no claim in: $(cat results/claims.md)"
grep -q '<td>T2</td><td>tiny</td>' results/index.html || fail "no claim in the page"
! grep -qE '(src|href)="?(https?:)?//' results/index.html || fail "the page needs others"
first=$(sed '/measured before/d' <<<"$out")

# Nothing is measured twice, and nothing changes.
before=$(modified)
expect 0 reproduce tiny.toml --out results
says '4: 4 measured before'
[[ $(modified) == "$before" ]] || fail "a point was measured again"
[[ $(sed '/measured before/d' <<<"$out") == "$first" ]] || fail "another table: $out"

# Points that are missing or damaged, or have other settings, are measured.
mapfile -t points < <(ls results/points/*)
rm "${points[0]}"
echo '{}' >"${points[1]}"
expect 0 reproduce tiny.toml --out results
says '4: 2 measured before'
expect 0 reproduce tiny.toml --out results --set seed=2
says '4: 0 measured before'
before=$(modified)
expect 0 reproduce tiny.toml --out results --fresh
says '4: 0 measured before'
[[ $(modified) != "$before" ]] || fail "--fresh measured nothing"

# A point that fails now has no result, whatever an earlier run left: here in files whose names are too long for a
# temporary one beside them.
mkdir -p stale/kept && cp -r results/points stale
for point in stale/points/*; do
  long_name=$PWD/stale/kept/$(basename "$point")$(printf 'x%.0s' {1..195})
  mv "$point" "$long_name" && ln -s "$long_name" "$point"
done
expect 1 reproduce tiny.toml --out stale --fresh
says '0 measured before, 4 failed'
[[ $out =~ T1\ +holds\ +-\ +not\ measured ]] || fail "T1 is judged without results: $out"

mapfile -t points < <(ls results/points/*)
# A directory in the place of a result is named.
mv results/points kept
for point in "${points[@]}"; do mkdir -p "$point"; done
expect 2 reproduce tiny.toml --out results --set seed=1
[[ $err == "verbena: --out: results/points/"*" is a directory"* && $(wc -l <<<"$err") == 1 ]] || fail "a directory as result: $err"
rm -r results/points && mv kept results/points

# Files that a platform names count like the platform.
mkdir platform
cat >platform/two.xml <<'XML'
<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="l" bandwidth="100Gbps" latency="1us" bandwidth_file="rates.txt"/>
<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>
XML
echo '0 1e10' >platform/rates.txt
expect 0 reproduce tiny.toml --out results --set platform=platform/two.xml
expect 0 reproduce tiny.toml --out results --set platform=platform/two.xml
says '4: 4 measured before'
echo '0 1e9' >platform/rates.txt
expect 0 reproduce tiny.toml --out results --set platform=platform/two.xml
says '4: 0 measured before'
# However its name is written.
sed -i 's/rates.txt/r\&amp;s.txt/' platform/two.xml
echo '0 1e10' >'platform/r&s.txt'
expect 0 reproduce tiny.toml --out results --set platform=platform/two.xml
echo '0 1e9' >'platform/r&s.txt'
expect 0 reproduce tiny.toml --out results --set platform=platform/two.xml
says '4: 0 measured before'
# A long word in it is no reason to fail.
sed -i "s/<zone/<!-- $(printf 'x%.0s' {1..100000}) --><zone/" platform/two.xml
expect 0 reproduce tiny.toml --out results --set platform=platform/two.xml

# So does the network that a NIC's profile names.
cp "$profiles/fabric/hdr-switch.toml" network.toml
sed 's|^fabric = .*|fabric = "network.toml"|' "$profiles/nic/connectx-6.toml" >nic.toml
expect 0 reproduce tiny.toml --out results --set nic=nic.toml
expect 0 reproduce tiny.toml --out results --set nic=nic.toml
says '4: 4 measured before'
sed -i 's/^link_latency_ns.*/link_latency_ns = { value = 500, unit = "ns", source = "made up" }/' network.toml
expect 0 reproduce tiny.toml --out results --set nic=nic.toml
says '4: 0 measured before'

# So does the SimGrid that the program has loaded.
mkdir libraries
cp "$(ldd "$program" | sed -n 's/.*libsimgrid.* => \([^ ]*\).*/\1/p')" libraries
export LD_LIBRARY_PATH=$PWD/libraries
expect 0 reproduce tiny.toml --out results
says '4: 0 measured before'
expect 0 reproduce tiny.toml --out results
says '4: 4 measured before'
unset LD_LIBRARY_PATH
expect 0 reproduce tiny.toml --out results
says '4: 4 measured before'

# --strict makes of a claim that does not hold an exit code.
expect 1 reproduce tiny.toml --out results --strict

# Files of others are not replaced.
for name in reproduce.json claims.md index.html tiny.csv tiny.gnuplot tiny.svg; do
  mkdir theirs
  echo theirs >"theirs/$name"
  expect 2 reproduce tiny.toml --out theirs
  [[ $err == "verbena: --out theirs: theirs/$name was not written by verbena; move it or choose another directory" ]] || fail "$err"
  [[ $(ls theirs) == "$name" && $(<"theirs/$name") == theirs ]] || fail "theirs is not left as it was: $(ls theirs)"
  rm -r theirs
done

# Without gnuplot there are results and one line.
mkdir empty
code=0
err=$(PATH=$PWD/empty "$program" reproduce tiny.toml --out results 2>&1 >/dev/null) || code=$?
[[ $code == 0 && $err == *'no gnuplot (Debian package gnuplot-nox)' && $(wc -l <<<"$err") == 1 ]] || fail "without gnuplot: $code, $err"

# A point that fails is told by the command that repeats it; the others are there.
sed 's/values = .8, 64./values = [64, 100000]/; s/bench read/bench rpc/' tiny.toml >failing.toml
expect 1 reproduce failing.toml --out results
says '2 failed'
says 'not measured'
[[ $err == *'point failed: verbena bench rpc '*'--payload 100000'*'a message holds at most'* ]] || fail "failed point: $err"

# Interrupted: the children are gone, what is finished stays, the same command goes on.
figure long 60s
sed -i 's/values = .8, 64./values = [8]/; s/settings = { window = 1, /settings = { duration = "20us", window = 1, /' long.toml
code=0
env --default-signal=INT timeout --preserve-status --signal=INT 3 \
  "$program" reproduce long.toml --out "interrupted-$$" --jobs 1 >out 2>err || code=$?
[[ $code == 130 && ! -s out ]] || fail "Ctrl-C: exit code $code, $(cat out)"
[[ $(cat err) == 'verbena: interrupted; 1 of 2 points are kept in interrupted-'$$', and the same command goes on from there' ]] ||
  fail "Ctrl-C: $(cat err)"
[[ $(find "interrupted-$$/points" -name '*.json' | wc -l) == 1 ]] || fail "Ctrl-C: $(ls "interrupted-$$/points")"
! pgrep -f "reproduce long.toml --out interrupted-$$" >/dev/null || fail "Ctrl-C left a process behind"

# Killed without a chance to say so: the points end with it, and the same command goes on.
"$program" reproduce long.toml --out "killed-$$" --jobs 1 >out 2>err &
reproducing=$!
for _ in {1..100}; do
  [[ $(find "killed-$$/points" -name '*.json' 2>/dev/null | wc -l) == 1 ]] && pgrep -P "$reproducing" >/dev/null && break
  sleep 0.1
done
pgrep -P "$reproducing" >/dev/null || fail "nothing runs: $(cat err)"
kill -KILL "$reproducing"
wait "$reproducing" 2>/dev/null || true
for _ in {1..50}; do
  pgrep -f "reproduce long.toml --out killed-$$" >/dev/null || break
  sleep 0.1
done
! pgrep -f "reproduce long.toml --out killed-$$" >/dev/null || fail "kill -9 left a process behind"
sed -i 's/60s/20us/' long.toml
expect 0 reproduce long.toml --out "killed-$$"
says '2: 1 measured before, 0 failed'

# --quick leaves out what a figure can spare, and says so; what it measured is not measured again.
sed 's/values = .8, 64./values = [8, 64], quick = [64]/' tiny.toml >quick.toml
expect 0 reproduce quick.toml --out quick --quick
says 'QUICK: fewer points'
says '2: 0 measured before, 0 failed'
expect 0 reproduce quick.toml --out quick
says '4: 2 measured before, 0 failed'
expect 0 reproduce quick.toml --out quick --quick --set nic=connectx-6
[[ $(head -1 quick/claims.md) == *', --quick: fewer points, --set nic=connectx-6.' ]] || fail "claims.md begins: $(head -1 quick/claims.md)"
expect 0 reproduce tiny.toml --out quick --quick
[[ $out != *QUICK* ]] || fail "marked as quick with all its points"

# open_figure RATE: a figure of one point, of which a rate (M/s) is published.
open_figure() {
  cat >open.toml <<TOML
title = "transactions"
source = "a test"
command = "run"
settings = { system = "drtmh", nodes = 3, threads = 1, workload = "smallbank", warmup = "200us", duration = "300us" }
x = { label = "coroutines", setting = "coroutines", values = [8] }
y = { label = "rate", quantity = "throughput" }
[[series]]
name = "h"
label = "DrTM+H"
[[claims]]
id = "T4"
text = "a rate"
relation = "about"
value = "h[8]"
published = $1
unit = "M/s"
TOML
}
# of_figure PATH: a member of it in open's document.
of_figure() { python3 -c "import json; print(json.load(open('open/reproduce.json'))['figures'][0]$1)"; }
point_of() { of_figure "['series'][0]['points'][0]['$1']"; }
verdict_of() { of_figure "['claims'][0]['verdict']"; }
open_figure 1
expect 0 reproduce open.toml --out open --quick --set duration=20ms
long_rate=$(point_of value)
# Points that are not known well enough are measured for longer, until they are: here 5 % from what was published.
open_figure "$(python3 -c "print($long_rate / 1.05)")"
expect 0 reproduce open.toml --out open --decide-within 1
[[ $(verdict_of) == undecided ]] || fail "decided at once: $out"
says '0 hold, 0 are off, 1 are undecided, 0 were not judged'
grep -q '^1 judgement: 0 hold, 0 are off, 1 are undecided' open/claims.md || fail "claims.md: $(cat open/claims.md)"
grep -q '1 are undecided' open/index.html || fail "the page has no totals"
expect 0 reproduce open.toml --out open --decide-within 1 --strict
[[ $err == *'verbena: 1 undecided; --strict does not count these as failures'* ]] || fail "--strict: $err"
expect 0 reproduce open.toml --out open --quick
[[ $(verdict_of) == undecided ]] || fail "--quick measured again: $out"
expect 0 reproduce open.toml --out open --decide-within 1024
[[ $(verdict_of) == holds ]] || fail "not decided: $out"
[[ $(point_of seconds) == 0.0048 && $(point_of command_line) == *'--duration 4800us'* ]] ||
  fail "not prolonged: $(point_of command_line)"
says '1 measured before, 0 failed'
# Again all of that is there.
before=$out
expect 0 reproduce open.toml --out open --decide-within 1024
[[ $out =~ points\ +([0-9]+):\ ([0-9]+)\ measured\ before && ${BASH_REMATCH[1]} == "${BASH_REMATCH[2]}" ]] || fail "measured twice: $out"
[[ $(sed '/measured before/d' <<<"$out") == "$(sed '/measured before/d' <<<"$before")" ]] || fail "another table: $out"
# A claim that stays open within the limit is undecided: here it is the tolerance itself.
open_figure "$(python3 -c "print($long_rate / 1.1)")"
expect 0 reproduce open.toml --out open --decide-within 4
[[ $(verdict_of) == undecided ]] || fail "decided by a hair: $out"
says '2: 2 measured before'
# The limit may be in the figure.
sed -i 's/^command/decide_within = 1\ncommand/' open.toml
expect 0 reproduce open.toml --out open
says '1: 1 measured before'

# A steady figure's points tell that they were at rest, or what ended them before.
sed 's/^command/steady = true\ncommand/; s/warmup.*300us"/precision = 5/' open.toml >steady.toml
expect 0 reproduce steady.toml --out open --quick
[[ $(point_of at_rest) == True && $(point_of ended_by) == precision ]] || fail "not at rest: $(cat open/reproduce.json)"
[[ $(sed -n 2p open/steady.csv) == *,yes,precision,* ]] || fail "csv: $(cat open/steady.csv)"
expect 0 reproduce steady.toml --out open --quick --set precision=0.01 --set max-commits=2000
[[ $(point_of ended_by) == max-commits ]] || fail "not ended: $(cat open/reproduce.json)"
says 'ended by --max-commits'
grep -q 'ended by --max-commits' open/index.html || fail "the page does not tell"

# Measured in two ways, claims have both beside each other; figures without a preset have one.
cat >both.toml <<'TOML'
title = "transactions"
source = "a test"
command = "run"
preset = "as-published"
settings = { nodes = 3, threads = 1, workload = "smallbank", warmup = "20us", duration = "200us" }
x = { label = "coroutines", setting = "coroutines", values = [8] }
y = { label = "rate", quantity = "throughput" }
[[series]]
name = "h"
label = "DrTM+H"
settings = { system = "drtmh" }
[[claims]]
id = "T3"
text = "a rate"
relation = "at least"
value = "max(h)"
published = 0.001
unit = "M/s"
TOML
expect 0 reproduce both.toml tiny.toml --out both --as ours
says 'T3 (ours)'
grep -qE '^\| T3 \| both \| a rate \| at least 0.001 M/s \| [0-9.]+ M/s \| holds[^|]* \| [0-9.]+ M/s \| holds[^|]* \|$' both/claims.md ||
  fail "not both results: $(cat both/claims.md)"
[[ $(grep -oE '[0-9.]+ M/s \| holds' both/claims.md | sort -u | wc -l) == 2 ]] ||
  fail "one result twice: $(cat both/claims.md)"
says 'conflicts are ignored in 1 of 2 series: their results are not serializable'
grep -q "Conflicts are ignored with the figures' preset in both: the results there are not serializable\\.\$" both/claims.md ||
  fail "claims.md: $(head -1 both/claims.md)"
expect 2 reproduce both.toml --out both --as our
[[ $err == 'verbena: --as our: no such preset; allowed are as-published, ours' ]] || fail "--as our: $err"
grep -qE '^\| T2 \| tiny \|.*off by -100 % [^|]*\| \| \|$' both/claims.md || fail "T2 has two results: $(cat both/claims.md)"
expect 0 reproduce both.toml tiny.toml --out both
says 'conflicts are ignored: results are not serializable'
grep -q 'Conflicts are ignored in both: the results there are not serializable\.$' both/claims.md ||
  fail "claims.md: $(head -1 both/claims.md)"

# A point is one measurement.
expect 2 reproduce both.toml --out both --set nodes=3..5
[[ $err == *'--set nodes=3..5'*'a point is a single measurement'* ]] || fail "a list: $err"

# Files that do not exist are refused once, before anything starts.
expect 2 reproduce tiny.toml --out results --set nic=./no-nic.toml
[[ $err == *"no-nic.toml' is neither built in"* && $(wc -l <<<"$err") == 1 ]] || fail "a missing profile: $err"
expect 2 reproduce --list tiny.toml --set nic=zzz
[[ $err == *'unknown nic'* && $(wc -l <<<"$err") == 1 ]] || fail "--list with a wrong setting: $err"

# --list shows what there is.
expect 0 reproduce --list
for name in drtmh/5a D04 namdb/5b N14 namdb/8 namdb/9; do says "$name"; done

says '(N35) (N36) (N37)'
cat >>tiny.toml <<'TOML'
[[not_judged]]
id = "T9"
text = "a promise"
why = "it is no number"
TOML
expect 0 reproduce tiny.toml --out told
[[ $out =~ T9\ +not\ judged\ +a\ promise:\ it\ is\ no\ number ]] || fail "T9 is not told: $out"
grep -q '| T9 | tiny | a promise |  |  | not judged: it is no number |' told/claims.md || fail "claims.md: $(cat told/claims.md)"

expect 0 reproduce --list drtmh/5a
[[ $out == *drtmh/5a* && $out != *drtmh/5b* ]] || fail "--list drtmh/5a lists: $out"
expect 2 reproduce --list drtmh/5z

# refused PART ARGUMENT...: nothing is started, and one line says why.
refused() {
  local part=$1
  shift
  rm -rf refused
  expect 2 reproduce "$@"
  [[ $err == "verbena: "*"$part"* && $(wc -l <"$TEST_TMPDIR/err") == 1 && -z $out ]] || fail "no '$part' in: $err $out"
  [[ ! -e refused ]] || fail "something was written: verbena reproduce $*"
}
refused 'a figure is missing'
refused "unknown figure 'drtmh/5z'; did you mean drtmh/5a?" drtmh/5z --out refused
refused 'missing.toml: No such file' missing.toml --out refused
sed 's/relation = "about"/relation = "abut"/' tiny.toml >broken.toml
refused 'broken.toml:23:12: relation: unknown' broken.toml --out refused
refused '--set nodez: unknown key; did you mean nodes?' tiny.toml --out refused --set nodez=3
refused '--set payload: a series or the x axis' tiny.toml --out refused --set payload=8
refused '--set trace=trace.json: a point is a single measurement: json' tiny.toml --out refused --set trace=trace.json
refused '--set json=x: a point is a single measurement: json' drtmh/12a --out refused --set json=x
refused '--set history=h.edn: a point is a single measurement: json, trace, history' drtmh/12a --out refused --set history=h.edn
refused '--set repeat=3: a point is a single measurement' tiny.toml --out refused --set repeat=3
refused '--set out=x: a point is a single measurement' tiny.toml --out refused --set out=x
refused '--set progress=true: a point is a single measurement' tiny.toml --out refused --set progress=true
refused '--set nodes=2: --nodes 2 is fewer than --replicas 3' drtmh/13a --out refused --set nodes=2
refused '--set nodes=3: drtmh/table2 has no points' drtmh/table2 --out refused --set nodes=3
sed 's/"bench read"/"run"/; s/setting = "payload", values = .*/setting = "coroutines", values = [1, 2] }/
  s/{ window.*/{ system = "drtmh" }/' tiny.toml >few.toml
refused 'few.toml:3:11: command: --nodes 2 is fewer than --replicas 3' few.toml --out refused
sed 's/nodes = 2,/nodes = 2, fabric = "verbs",/' tiny.toml >verbs.toml
refused 'fabric verbs is not allowed' verbs.toml --out refused
refused '--jobs 0' tiny.toml --out refused --jobs 0
refused '--out /dev/null' tiny.toml --out /dev/null/results
refused '--out tiny.toml' tiny.toml --out tiny.toml
mkdir -p sub && cp tiny.toml sub
refused "two figures are called 'tiny'" tiny.toml sub/tiny.toml --out refused
refused '--nodes: does not apply to reproduce' tiny.toml --out refused --nodes 3
finish
