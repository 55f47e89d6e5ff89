// Requests that meet at peers' cores, and interrupts in their midst.
#include <cstdint>
#include <string>

#include "experiments/hunt/draw/draws.h"
#include "rdma/base/random.h"
#include "txn/registry/load_system.h"

namespace verbena::experiments {
namespace {

// All fibers add to one counter, and wait there for others, where nothing that was drawn needs
// another oracle.
void one_counter(DrawnRun& run) {
  for (const char* other : {"nam.journals", "nam.oracles", "nam.await_publication"}) {
    if (run.has(other)) return;
  }
  if (run.value_of("nam.session") == "override") return;
  if (run.system() == "nam") run.set("nam.oracle", "counter", {""});
  run.set("threads", "3", {"2"});
  run.set("prism", "software", {""});
  if (run.has("chaos")) return;
  run.set("chaos", "true", {""});
  run.set("fabric.chaos_meet", "0.1", {""});
  run.set("fabric.chaos_interrupt_ns", "10000", {""});
  // They were drawn for cores that nothing interrupts.
  const std::string limit = run.value_of("nam.longest_transaction");
  if (limit != "30us" && limit != "50us" && limit != "1ms") return;
  run.set("nam.longest_transaction", "10ms", {""});
  run.be_patient("200ms");
}

// Threads of the servers that have nothing else to do: with one of them no two requests meet.
void several_cores(DrawnRun& run, Random& random) {
  if (run.value_of("threads") == "1") run.set("threads", "2", {"1"});
  if (random.below(8) != 0) run.set("nam.memory_workers", run.value_of("threads"), {""});
}

// Records whose update is longer than a message, of which some are late: it is written in parts,
// the last of which unlocks.
void updates_in_parts(DrawnRun& run, Random& random) {
  run.set("prism", "software", {""});
  run.set("plan", "execute.locks=off,lock=one-sided,commit=one-sided,commit.passive_ack=off", {""});
  run.set("rdma.rpc_transport", "ud", {""});
  run.set("rdma.rpc_max_message_bytes", "768", {""});
  run.set("fabric.ud_loss", random.below(2) == 0 ? "0.03" : "0.1", {""});
  run.set("workload.long_bytes", random.below(4) == 0 ? "600" : "704", {""});
  run.set("workload.keys_per_node", "4", {});
  run.set("workload.update_percent", "75", {""});
  run.set("workload.scan_percent", "0", {});
  for (const char* other : {"insert", "erase", "leave"}) {
    run.set("workload." + std::string(other) + "_percent", "0", {""});
  }
}

void half_updates(DrawnRun& run) {
  if (run.has("workload.core")) return run.set("workload.core", "A", {""});
  run.set("workload.update_percent", "50", {""});
  run.set("workload.read_percent", "50", {""});
}

// Pointers to objects of different lengths follow each other.
void comings_and_goings(DrawnRun& run) {
  run.set("workload.read_percent", "0", {""});
  run.set("workload.update_percent", "15", {""});
  run.set("workload.insert_percent", "40", {""});
  run.set("workload.erase_percent", "30", {""});
}

// Chains that stand still in their midst for as long as it takes others to replace what they have
// found, to give it back and to use it again. Rare, so that all others get on; and of no more
// buffers than it takes, by clients with one thing to do each, of which one server has many.
void chains_interrupted(DrawnRun& run, Random& random) {
  run.set("chaos", "true", {""});
  run.set("fabric.chaos_preempt", random.below(2) == 0 ? "0.003" : "0.01", {""});
  run.set("fabric.chaos_interrupt_ns", "100000", {""});
  run.set("fabric.chaos_meet", "0", {""});
  run.set("prism.spares", "1", {""});
  run.set("threads", "3", {"2"});
  run.set("coroutines", random.below(4) == 0 ? "2" : "1", {"1"});
  if (run.has("prism.server_workers")) run.set("prism.server_workers", "3", {""});
  if (txn::protocol_of_system(run.system()) != "prism-rs") run.set("prism.servers", "1", {});
  const std::string workload = run.value_of("workload");
  if (workload == "stress" && random.below(4) != 0) comings_and_goings(run);
  if (workload == "ycsb") {
    run.set("workload.records", random.below(2) == 0 ? "1" : "2", {"1"});
    half_updates(run);
  }
  // It is longer where packets are lost.
  if (run.value_of("rdma.rpc_max_timeout") == "1ms") run.set("rdma.rpc_max_timeout", "10ms", {});
  if (run.value_of("run.patience") == "200ms") run.be_patient("2s");
}

}  // namespace

void draw_cores(DrawnRun& run, std::uint64_t seed, std::uint64_t draw) {
  constexpr std::uint64_t kStream = 0x636f726573;
  Random random(mix64(seed ^ kStream) + draw);
  const std::string protocol = txn::protocol_of_system(run.system());
  if (protocol == "nam" || protocol == "nam-naive") {
    if (random.below(5) < 2) one_counter(run);
    if (run.value_of("prism") == "software") several_cores(run, random);
  } else if (protocol == "occ") {
    const bool drawn = random.below(24) == 0;
    if (drawn && run.value_of("workload") == "stress") updates_in_parts(run, random);
  } else if (protocol.starts_with("prism-")) {
    if (random.below(5) < 2) chains_interrupted(run, random);
  }
}

}  // namespace verbena::experiments
