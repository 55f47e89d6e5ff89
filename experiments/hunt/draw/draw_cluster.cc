// Nodes and their NICs, workers, and how long a run is.
#include <algorithm>
#include <cstdint>
#include <string>

#include "experiments/hunt/draw/draws.h"

namespace verbena::experiments {
namespace {

using Values = DrawnRun::Values;

// Short queues and messages of RPCs.
void messages(DrawnRun& run) {
  run.sometimes(10, "rdma.rpc_max_message_bytes", {"768", "1024"});
  if (run.chance(10)) {
    run.set("rdma.rpc_send_queue_depth", run.one_of(Values{"2", "8"}), {""});
    run.set("rdma.rpc_signal_interval", "1", {""});
  }
  if (run.chance(10)) {
    run.set("rdma.rpc_receive_depth", run.one_of(Values{"4", "8"}), {""});
    run.set("rdma.rpc_receive_batch", run.one_of(Values{"1", "2"}), {""});
  }
}

// Turns that resume all who can go on, and what is taken as the time of a transaction.
void turns_and_times(DrawnRun& run) {
  run.sometimes(20, "rdma.turn_time", {"1s"});
  run.sometimes(20, "rdma.poll_batch", {"64"});
  run.sometimes(20, "run.latency_until", {"returned"});
}

}  // namespace

void draw_cluster(DrawnRun& run) {
  run.set("nodes", run.one_of(Values{"2", "3", "3", "3", "4", "5"}), {"2", "3"});
  run.number("replicas", 1, std::min(3UL, std::stoul(run.value_of("nodes"))));
  run.number("threads", 1, 3);
  run.number("nics-per-node", 1, run.value_of("threads") == "1" ? 1 : 2);
  run.number("coroutines", 1, 6);
  run.sometimes(20, "connections", {"2", "3"});
  run.sometimes(20, "context", {"shared", "own-doorbells"});
  run.sometimes(30, "nic", {"connectx-3", "connect-ib", "connectx-5", "connectx-6", "connectx-7"});
  run.sometimes(20, "topology", {"fat-tree", "dragonfly", "torus"});
  run.sometimes(10, "nic.qp_cache_entries", {"4", "8"});
  run.sometimes(10, "nic.wqe_cache_entries", {"1", "4"});
  run.sometimes(10, "nic.max_rd_atomic", {"1", "2"});
  run.sometimes(10, "nic.atomic_slots", {"1", "2"});
}

// Some hundred transactions, or thousand.
void draw_length(DrawnRun& run) {
  run.set("warmup", run.chance(25) ? run.one_of(Values{"20us", "100us"}) : "0s", {"0s"});
  run.set("duration", "5ms",
          {"10us", "20us", "30us", "60us", "120us", "250us", "500us", "1ms", "2ms"});
  run.number("run.max_transactions", 5, 60, 1);
  run.be_patient("200ms");
}

// Time-outs are short, since a fiber that waits for a lost datagram holds locks.
void draw_workers(DrawnRun& run) {
  run.set("rdma.rpc_timeout", run.one_of(Values{"20us", "50us", "100us"}), {"50us"});
  // A message that is written may be lost, and with it those behind it, several times.
  const bool slow = run.has("fabric.rc_loss");
  run.set("rdma.rpc_max_timeout", slow ? "300ms" : "1ms", {});
  run.set("rdma.rpc_retries", "30", {});
  run.sometimes(25, "rdma.rpc_first_number", {"65500", "16777190", "4294967270"});
  run.set("rdma.rpc_ack_delay", run.one_of(Values{"0s", "5us", "10us"}), {""});
  run.sometimes(20, "rdma.rpc_slots_per_peer", {"1", "2"});
  run.sometimes(20, "rdma.rpc_notify_window", {"1", "3"});
  run.sometimes(20, "rdma.signal_interval", {"1", "3"});
  if (run.chance(20)) {
    run.set("rdma.send_queue_depth", run.one_of(Values{"2", "4", "8", "16"}), {""});
    run.set("rdma.signal_interval", "1", {""});
  }
  run.sometimes(20, "rdma.qps_in_turn", {"true"});
  run.sometimes(20, "rdma.signal_all", {"true"});
  run.sometimes(20, "rdma.max_inline_bytes", {"0"});
  run.sometimes(20, "rdma.rpc_batch_replies", {"false"});
  run.sometimes(20, "rdma.poll_batch", {"1"});
  run.sometimes(20, "rdma.turn_time", {"0s"});
  messages(run);
  run.sometimes(20, "rdma.rpc_flush", {"at-once"});
  turns_and_times(run);
}

}  // namespace verbena::experiments
