#!/usr/bin/env bash
# Bad input: exit code 2, one line on standard error that names what is wrong, nothing on standard output, no file left behind.
set -euo pipefail
# shellcheck source=tests/experiments/program.sh
. "$(dirname "$0")/program.sh"

# refused PART ARGUMENT...: the program refuses these arguments in a line that has this part.
refused() {
  local part=$1
  shift
  expect 2 "$@"
  [[ $(wc -l <"$TEST_TMPDIR/err") == 1 ]] || fail "not one line: verbena $*: $err"
  [[ $err == "verbena: "* ]] || fail "does not begin with verbena: $err"
  [[ $err == *"$part"* ]] || fail "no '$part' in: $err"
  [[ -z $out ]] || fail "standard output of verbena $*: $out"
}

cd "$TEST_TMPDIR"
refused 'a command is missing'
refused 'did you mean run?' rnu
refused 'help rnu: expected one of run, bench,' help rnu
refused 'did you mean --nodes?' run --nods 4
refused 'did you mean drtmh?' run --system drtmhh
refused 'did you mean smallbank?' run --workload smalbank
refused 'did you mean connectx-4?' run --nic conectx-4
refused 'did you mean fabric.ud_loss?' run --set fabric.ud_los=0.1
refused 'did you mean read?' bench raed
refused 'fabric.ud_loss' run --set fabric.ud_loss=2
refused 'fabric.ud_loss' run --set fabric.ud_loss=nan
refused 'from 1 to 1024' run --nodes 0
refused 'from 1 to 1024' run --nodes -1
refused 'from 1 to 1024' run --nodes 3.5
refused 'from 1 to 1024' run --nodes 18446744073709551617
refused 'from 1 to 1024' run --nodes ''
refused 'from 1 to 256' run --threads 0
refused 'from 1 to 64' run --connections 0
refused 'did you mean dedicated?' bench read --context dedicate
refused 'no coroutines' bench read --loop raw --coroutines 2
refused 'is not one-sided' bench rpc --loop raw
refused 'only write with --loop raw' bench write --transport uc
refused '--rounds true: --loop fibers always waits for whole windows' bench read --rounds
refused 'only threads of --loop raw' bench read --threads-per-queue-pair 2
refused 'has one payload only' bench read --request-payload 8
refused 'multi-read and multi-write are of several' bench read --objects 2
refused 'needs --outstanding' bench multi-write --passive
refused "a read's data is waited for" bench multi-read --outstanding --passive
refused 'the only server, node 15, is a client too' bench read --servers 1 --clients 16
refused 'more than the groups of threads' bench read --loop raw --threads-per-queue-pair 24
refused 'expected a whole number from 1 to 1048576' bench read --payload 8,x
for values in ',' '8,' ',8' '8,,16' '1..4,'; do
  refused "--payload $values: an entry of the list is empty" bench read --payload "$values"
done
refused '--set: rdma.signal_interval = 8,: an entry of the list is empty' run --set rdma.signal_interval=8,
refused '--set: rdma.signal_interval = 8,8: 8 appears twice' run --set rdma.signal_interval=8,8
refused 'more than 1000 measurements' bench read --payload "$(seq -s, 1 40)" --window "$(seq -s, 1 40)"
refused 'needs a process that hosts all nodes' bench read --fabric verbs --peers a:1,b:2 --node 0 --payload 8,16
refused 'with its unit' run --duration 5
refused 'given 2 times' run --nodes 4 --nodes 4
refused '--set fabric.ud_loss: given twice' run --set fabric.ud_loss=0.1 --set fabric.ud_loss=0.2
refused "--verify '': expected true or false" run --verify=
refused 'expected true or false' run --set verify=perhaps
refused 'expected true or false' run --verify=perhaps
refused "--verify '{}': expected true or false" run --verify={}
refused 'KEY=VALUE' run --set novalue
refused 'fewer than --replicas 3' run --nodes 2
refused "workload.next_order=fetch-add: draws numbers" run --system farm --workload tpcc --set workload.next_order=fetch-add
refused 'is a directory' run --config .
refused 'No such file' run --config missing.toml
refused 'cannot be written' run --json missing/results.json
refused 'applies to --fabric sim only' run --fabric verbs --nic connectx-4
refused '--peers: needs --fabric verbs' run --peers a:1,b:2,c:3
refused '--peers: needs --fabric verbs' run --node 0 --peers a:1,b:2,c:3

# Values that would show as nothing, or not where they end.
refused "--payload ' ': expected a whole number from 1 to 1048576" bench read --payload ' '
refused "--y '': unknown quantity" bench read --payload 8,16 --y ''
refused "--y ' p50': unknown quantity" bench read --payload 8,16 --y ' p50'
refused "--set ' ': unknown key" run --set ' =1'
refused "--config ' ': No such file" run --config ' '
refused "rdma.signal_interval = ' ': expected a whole number" run --set rdma.signal_interval=' '
refused "--payload ' ': expected a whole number" bench read --payload '8, ,9'
refused "verbena: '': No such file" compare '' ''
refused "--as ' ': no such preset" reproduce drtmh/3a --as ' '
refused "--json 'no where/x': cannot be written" run --json 'no where/x'
refused "completion ' ': expected one of bash, zsh" completion ' '

# Points at which nodes are to die, whatever measures them.
refused "faults.kill_at = 'rpc: request repeted': the code has no such point; did you mean rpc: request repeated?" run --nodes 3 \
  --set 'faults.kill_at=rpc: request repeted'
refused 'did you mean rpc: request repeated?' hunt --seeds 1 --set 'faults.kill_at=rpc: request repeted'
refused 'did you mean rpc: request repeated?' reproduce drtmh/3a --out none --set 'faults.kill_at=rpc: request repeted'
refused 'did you mean rpc: request repeated?' run --nodes 3,4 --set 'faults.kill_at=rpc: request repeted'

# Lists where there is one value.
refused 'known: sim, verbs); it takes no list' run --fabric sim,verbs
refused 'expected a whole number from 1 to 1048576; it takes no list' explain read --payload 8,16
for values in 8,x '8,' 8.5 4..; do
  refused 'expected a whole number from 1 to 1048576' explain read --payload "$values"
  [[ $err != *'takes no list'* ]] || fail "no list of payloads: $err"
done

# Keys that make fewer nodes enough.
refused "needs 3: to compute, to keep records, and as oracles; with nam.oracle_on_memory=true or nam.locality=true 2 are enough" \
  run --nodes 2 --system nam
refused 'with nam.locality=true and nam.oracle_on_memory=true 1 is enough' run --nodes 1 --system nam
refused 'with nam.locality=true 1 is enough' run --nodes 1 --system nam --set nam.oracle_on_memory=true

# Keys that nothing uses without something else.
refused 'fabric.chaos_preempt: needs --chaos' run --nodes 3 --threads 2 --set fabric.chaos_preempt=1
refused 'fabric.chaos_jitter_ns: needs --chaos' bench read --set fabric.chaos_jitter_ns=100
refused 'fabric.chaos_interrupt_ns: needs --chaos' run --nodes 3 --threads 2 --set fabric.chaos_interrupt_ns=100
refused 'fabric.chaos_jitter_ns: does not apply to explain' explain read --set fabric.chaos_jitter_ns=100
refused 'fabric.ud_reorder_delay_ns: needs fabric.ud_reorder or fabric.ud_duplicate' bench rpc --set fabric.ud_reorder_delay_ns=100
refused 'fabric.ud_loss: applies to datagrams only' bench read --set fabric.ud_loss=0.1
refused 'fabric.ud_duplicate: applies to datagrams only' bench multi-write --set fabric.ud_duplicate=0.1
refused 'fabric.ud_reorder: applies to datagrams only' bench rpc --set rdma.rpc_transport=write-ring --set fabric.ud_reorder=0.1
refused 'fabric.ud_loss: applies to datagrams only' run --nodes 3 --set rdma.rpc_transport=write-ring --set fabric.ud_loss=0.1
refused 'fabric.ud_loss: applies to datagrams only' explain read --set fabric.ud_loss=0.1
refused "--plan '': expected PHASE=PRIMITIVE" run --plan ''

# Nothing is suggested when nothing is near; what a name begins with is.
refused "--workload '': unknown workload (known: " run --workload ''
refused 'unknown flag --foo' run --foo
[[ $err != *'did you mean'* ]] || fail "a suggestion for --foo: $err"
refused "unknown key 'plan.foo'" run --set plan.foo=1
[[ $err != *'did you mean'* ]] || fail "a suggestion for plan.foo: $err"
refused 'did you mean nic.qp_cache_entries?' run --set nic.qp_cache=1

# Networks.
refused 'did you mean torus?' bench read --topology tors
refused '--topology x.xml: expected a kind of network; --platform takes a platform' bench read --topology x.xml
refused 'a star has no parameters' bench read --topology star:4
refused 'has room for 4 nodes, there are 16' bench read --topology torus:2,2
refused 'has room for 8 nodes, there are 9' run --nodes 9 --topology 'fat-tree:2;2,4;1,2;1,1'
refused 'LEVELS;DOWN' run --topology 'fat-tree:2;4,4;1,2'
refused 'as many routers in a chassis' run --topology 'dragonfly:4,1;2,1;3,1;2'
refused 'can be simulated' run --topology 'fat-tree:2;1,65536;65536,65536;1,1'
refused 'excludes --topology torus' run --topology torus --platform some.xml
refused 'excludes --topology star' run --topology star --platform some.xml
refused 'fabric.link_gbps: does not apply to --platform' run --set fabric.link_gbps=100 --platform some.xml
refused 'fabric.link_latency_ns: does not apply to --platform' bench read --set fabric.link_latency_ns=100 --platform some.xml
refused 'fabric.switch_latency_ns: does not apply to --platform' explain read --set fabric.switch_latency_ns=0 --platform some.xml
refused 'excludes --switch hdr-switch' run --switch hdr-switch --platform some.xml
refused 'did you mean edr-switch?' run --switch edr-swich
refused 'missing.xml' run --platform missing.xml
refused 'ends in .xml' run --platform platform.so
refused 'applies to --fabric sim only' run --fabric verbs --topology torus
printf '<platform><nonsense' >nonsense.xml
refused 'is no platform; expected <?xml version=' run --platform nonsense.xml
platform() {
  printf '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">%s</platform>' "$1"
}
hosts='<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
platform "<zone id=\"z\" routing=\"Full\">$hosts</zone>" >unconnected.xml
refused 'has 2 hosts; expected one for each of 3 nodes' run --nodes 3 --platform unconnected.xml
refused 'route' bench read --nodes 2 --platform unconnected.xml
platform "<zone id=\"z\" routing=\"Fuel\">$hosts</zone>" >unknown.xml
refused 'unknown.xml: the routing of a zone is not known' bench read --nodes 2 --platform unknown.xml

link='<link id="l" bandwidth="100Gbps" latency="1000000s"/><route src="a" dst="b"><link_ctn id="l"/></route>'
platform "<zone id=\"z\" routing=\"Full\">$hosts$link</zone>" >far.xml
refused 'far.xml: the latency of link l is 1000000 s; allowed are 0 to 1 s' bench read --nodes 2 --platform far.xml
for version in 0.5 1 3 5; do
  platform "<zone id=\"z\" routing=\"Full\">$hosts</zone>" | sed "s/4.1/$version/" >version.xml
  refused 'version.xml: its version is not known; expected <platform version="4.1">' bench read --nodes 2 --platform version.xml
done

# explain and timelines.
refused 'bytes of a worker; allowed are 17179869184' bench read --window 256 --coroutines 256 --payload 1048576
refused 'an operation is missing' explain
refused 'did you mean cas?' explain ca
refused 'of explain; known: read, write, send, cas, faa, rpc, write-rpc, indirect-read, prism-write, allocate, prism-cas' explain multi-read
refused 'takes 8 bytes' explain faa --payload 16
refused '--payload 8: prism-cas takes 16 bytes' explain prism-cas --payload 8
refused '--nodes 1: indirect-read calls another node' explain indirect-read --nodes 1
refused '--state qp-miss: allocate has warm and cold' explain allocate --state qp-miss
refused '--payload 2033: a message holds at most 2032 bytes, with 39 of a chain' explain prism-write --payload 2033
refused 'read carries no data' explain read --inline
refused 'nic.max_inline_bytes, 912 bytes' explain write --inline --payload 4000
refused 'a datagram holds at most 4096' explain send --payload 5000
refused 'known: warm, qp-miss, cold' explain read --state hot
refused '--window: does not apply to explain' explain read --window 2
refused '--trace missing/trace.json: cannot be written' bench read --trace missing/trace.json
refused 'from 1 to' bench read --trace-limit 0
refused 'the request was lost' explain send --set fabric.ud_loss=1
refused 'the request was doubled or late' explain send --set fabric.ud_reorder=1
refused '--trace-limit 5: needs --trace' bench read --trace-limit 5
refused '--trace ./same.json: --json writes the same file' bench read --trace ./same.json --json same.json
printf 'trace = ["a", "b"]\n' >two-traces.toml
refused 'two-traces.toml:1:9: trace: expected the name of one file' bench read --config two-traces.toml
refused '--payload 2033: a message holds at most 2032 bytes' bench write-rpc --payload 2033
refused '--request-payload 2033: a message holds' bench write-rpc --payload 8 --request-payload 2033
refused 'rdma.rpc_transport = ud: write-rpc is rpc over write-ring' bench write-rpc --set rdma.rpc_transport=ud
refused 'prism = nic: nics-per-node is 2, and NICs of a node do not exclude each other; allowed is 1' bench indirect-read --prism nic
refused 'nics-per-node is 2, and NICs of a node do not exclude each other' explain indirect-read --prism nic --nics-per-node 2
refused 'fabric.ud_loss: applies to datagrams only' bench indirect-read --prism nic --nics-per-node 1 --set fabric.ud_loss=0.1
refused 'prism = nic: nics-per-node is 2' run --system prism-kv --workload ycsb --set workload.keys_per_transaction=1 --nodes 4 --prism nic
refused '--prism software: needs nam.own_by_nic with nam.locality, except' run --fabric verbs --duration 1s --warmup 0s --prism software \
  --system nam --set nam.locality=true --nics-per-node 1
refused "--prism software: --loop raw posts to the NIC's queue pairs" bench read --loop raw --prism software
refused '--prism hardware: unknown prism (known: auto, software, nic)' run --prism hardware
refused '--nodes 1: rpc calls another node' bench rpc --nodes 1
refused '--nodes 1: write-rpc calls another node' bench write-rpc --nodes 1
refused '--nodes 1: send goes to another node' bench send --nodes 1
refused '--nodes 1: multi-read calls another node' bench multi-read --primitive two-sided --nodes 1
refused 'a single measurement' bench read --payload 8,16 --trace trace.json
refused 'applies to --fabric sim only' bench read --fabric verbs --trace trace.json

printf 'nodes = 4\n[sytem]\n' >section.toml
refused "section.toml:2:1: unknown section 'sytem'" run --config section.toml
printf 'nodes = 1e3\n' >section.toml
refused 'nodes 1000.0: expected a whole number' run --config section.toml
printf '[nodes]\n' >section.toml
refused 'section.toml:1:1: nodes: expected a value' run --config section.toml
printf 'nodes = 4\nthreads = = 2\n' >broken.toml
refused 'broken.toml:2:' run --config broken.toml
printf 'nodes = "\xff\xfe"\n' >binary.toml
refused 'binary.toml:1:' run --config binary.toml

# Constants of the model.
refused 'nic.qp_cache_entries = 1.5: expected a multiple of 4 from 4 to 100000000' run --set nic.qp_cache_entries=1.5
refused 'nic.ethernet = 0.5: expected 0 or 1' run --set nic.ethernet=0.5
refused 'expected 256, 512, 1024, 2048 or 4096' run --set nic.path_mtu_bytes=1000
refused 'nic.mtt_cache_entries = 5: expected a multiple of 4' run --set nic.mtt_cache_entries=5

# A profile without a constant that the model needs.
printf 'description = "half a NIC"\nfabric = "edr-switch"\nport_gbps = { value = 100, unit = "Gb/s", source = "none" }\n' >half-nic.toml
refused "half-nic.toml': constant 'ports' is missing" run --nic half-nic.toml
refused "half-nic.toml': constant 'ports' is missing" run --other-nodes 3 --other-nic half-nic.toml
refused 'did you mean connectx-3?' run --other-nodes 3 --other-nic conectx-3
refused 'no network connects them' run --other-nodes 3 --other-nic connectx-4-roce
refused 'missing-nic.toml' run --nic ./missing-nic.toml

refused 'the file of a nic has to end in .toml' run --nic ./
refused '--nic /etc/passwd: the file of a nic' run --nic /etc/passwd
refused 'the file of a system has to end in .toml' run --system ./farm

# A constant that has more than a value, a unit and a source.
printf 'description = "d"\nfabric = "edr-switch"\nport_gbps = { value = 1, unit = "Gb/s", source = "s", sauce = "t" }\n' >more-nic.toml
refused "more-nic.toml': constant 'port_gbps' has a member 'sauce'" run --nic more-nic.toml

# Systems and plans.
refused "missing-system.toml': No such file or directory" run --system ./missing-system.toml
printf 'description = "half a system"\nsource = "none"\n\n[execute]\nprimitive = "rpc"\n' >half-system.toml
refused "half-system.toml:5: [execute]: unknown primitive 'rpc'; allowed are one-sided, two-sided, hybrid" run --system half-system.toml
sed 's/\[execute\]/[lock]\nprimitive = "ud"\n&/' half-system.toml >order-system.toml
refused "order-system.toml:5: [lock]: unknown primitive 'ud'" run --system order-system.toml
sed -i 's/rpc/two-sided/' half-system.toml
refused 'half-system.toml:1: table [lock] is missing' run --system half-system.toml
sed '1i isolation = "snapshot"' half-system.toml >more-system.toml
refused 'more-system.toml:1: isolation: unknown; allowed are protocol, description, source and the phases' run --system more-system.toml
printf '[execute]\nprimitive = two-sided\n' >half-system.toml
refused 'half-system.toml:2: ' run --system half-system.toml
refused "--plan comit=two-sided: unknown phase 'comit'; allowed are execute, lock" run --plan comit=two-sided
refused "--plan log.cache=on: unknown option 'cache' of phase log; allowed are outstanding" run --plan log.cache=on
refused "--plan commit=two-sided,log: 'log': expected PHASE=PRIMITIVE" run --plan commit=two-sided,log
refused "'perhaps': allowed are on and off" run --plan log.doorbell=perhaps
refused 'execute.locks is on and phase execute is hybrid' run --plan execute.locks=on,lock=two-sided
refused 'phase lock is one-sided and phase commit two-sided' run --system drtmr --plan commit=two-sided
refused 'phase log is passive' run --plan log.passive_ack=on
refused 'phase log is hybrid' run --plan log=hybrid
printf '[plan]\nlog = "two-sided"\n' >plan.toml
refused "plan.toml:2:7: unknown key 'plan.log'" run --config plan.toml
refused 'did you mean systems?' list sistems

# Workloads.
refused '--warehouses 16: is a parameter of --workload tpcc-no and tpcc, not of smallbank' run --warehouses 16
refused '--remote-percent 10: is a parameter of --workload tpcc-no and tpcc, not of smallbank' run --remote-percent 10
refused '--remote-percent 101: expected a whole number from 0 to 100' run --workload tpcc --remote-percent 101
refused '--remote-percent -1: expected a whole number from 0 to 100' run --workload tpcc --remote-percent -1
refused '--warehouses 0: expected a whole number from 1' run --workload tpcc --warehouses 0
refused '--warehouses 385: is no multiple of --nodes 16' run --workload tpcc --warehouses 385
refused 'workload.items: is a parameter of --workload tpcc-no and tpcc, not of smallbank' run --set workload.items=1000
refused 'workload.market_feed_percent: is a parameter of --workload tpce-cp' run --set workload.market_feed_percent=10
refused 'workload.market_feed_percent = 101: expected' run --workload tpce-cp --set workload.market_feed_percent=101
refused 'workload.subscribers_per_worker: is a parameter of --workload tatp' run --set workload.subscribers_per_worker=10

refused '--warehouses 65536: expected a whole number from 1 to 65535' run --workload tpcc --warehouses 65536
refused '--warehouses auto: one for each of --nodes 700 x --threads 100 are 70000' run --workload tpcc --nodes 700 --threads 100
refused '--warehouses, --nodes and the workload' run --workload tpcc --nodes 1 --replicas 1 --threads 1 --warehouses 65535
refused 'workload.items = 99: expected a whole number from 100 to 10000000' run --workload tpcc --set workload.items=99
refused 'customers_per_district = 9: expected a whole number from 10 to 65535' run --workload tpcc --set workload.customers_per_district=9
refused '= 1500: expected a multiple of 1000 from 1000 to 1000000' run --workload tpce-cp --set workload.customers_per_node=1500
# A node that inserts asks the owner, which answers with the record that it has.
refused 'rdma.rpc_max_message_bytes' run --workload stress --system one-sided --nodes 3 --threads 1 \
  --set workload.long_bytes=1200 --set rdma.rpc_max_message_bytes=1024
refused 'rdma.rpc_max_message_bytes' run --workload tpcc --nodes 3 --threads 1 --set rdma.rpc_max_message_bytes=256

# Ranges that depend on other keys, and those that do not are the listed ones.
refused 'rpc_receive_depth = 2: expected a whole number from 2 to 32768, a multiple of' run --set rdma.rpc_receive_depth=2
refused 'rdma.rpc_ack_delay = 1ms: expected' run --set rdma.rpc_timeout=1us
refused 'rdma.signal_interval = 32: expected a whole number from 1 to 8192, at most half of' run --set rdma.send_queue_depth=2
refused 'at most half of rdma.rpc_timeout' run --set rdma.rpc_timeout=1ms
refused 'with its unit (ns, us, ms, s, min), at least rdma.rpc_timeout' run --set rdma.rpc_max_timeout=1us
refused 'from 0 to 30' run --set rdma.rpc_retries=31
refused 'rdma.rpc_transport = rc: unknown rdma.rpc_transport (known: ud, write-ring)' run --set rdma.rpc_transport=rc

refused '(--nics-per-node 1)' run --system drtmr --chaos
refused 'plan.trust_atomics_across_nics=true' run --system one-sided --chaos


# Keys so deep that a parser would follow them to the end of its stack.
deep=$(printf 'a.%.0s' {1..30000})b
echo "$deep = 1" >deep.toml
refused 'deep.toml:1: a key has more than 64 names' run --config deep.toml
printf 'nodes = 3\n[%s]\n' "$deep" >deep.toml
refused 'deep.toml:2: a key has more than 64 names' run --config deep.toml
refused 'deep.toml:2: a key has more than 64 names' run --system ./deep.toml
refused 'deep.toml' run --nic ./deep.toml
printf 'nodes = %s3%s\n' "$(printf '[%.0s' {1..30000})" "$(printf ']%.0s' {1..30000})" >deep.toml
refused 'deep.toml:1:' run --config deep.toml

# Commands that print a text.
refused 'completion: expected one of bash, zsh' completion
refused 'completion fish: expected one of bash, zsh' completion fish
refused "unexpected argument 'run' of man" man run
refused 'did you mean completion?' completio

# Devices whose limits are too small for the cluster.
refused '--set nic.thread_doorbell_registers changes it' bench read --nic connectx-3 --context own-doorbells
refused "device 'sim0': max_qp is 100, but 204 queue pairs" run --set nic.max_qp=100
refused '--set nic.max_qp changes it' bench read --set nic.max_qp=100
refused 'max_qp_wr is 1, but 512 requests' run --set nic.max_qp_wr=1
refused 'max_cqe is 1, but 2304 entries' run --set nic.max_cqe=1

# A cluster that no machine has the memory for: its queue pairs alone take 5 TiB.
refused 'and --connections 64 have 17179869184 queue pairs, which need more than' bench read --nodes 1024 --threads 256 --connections 64

printf '{"config": {"nodes": 3}}' >nameless.json
refused 'schema.name is not verbena.results' run --config nameless.json
printf '{"schema": {"name": "verbena.results", "version": 1}, "config": {}}' >nameless.json
refused 'schema.version is 1; expected 2' run --config nameless.json
printf '{"schema": {"name": "verbena.results", "version": 2}, "config": {"nodes": 3}}' >nameless.json
refused 'config.command is missing' run --config nameless.json
rm nameless.json

[[ -z $(find . -name '*.json*') ]] || fail "a result file was left behind"

# A result file is refused before anything starts, and an existing one survives a refused run.
echo old >results.json
refused 'from 1 to 256' run --threads 0 --json results.json
[[ $(cat results.json) == old ]] || fail "the old result file is gone"

# Without an RDMA device. Where there is one this shows nothing.
if [[ ! -e /sys/class/infiniband || -z $(ls /sys/class/infiniband) ]]; then
  refused 'no RDMA device' run --fabric verbs
  expect 2 doctor
  [[ $err == 'verbena: no RDMA device'* ]] || fail "doctor says: $err"
  [[ $out == *mend:* ]] || fail "doctor gives no advice: $out"
fi
finish
