// Weights and values of everything that is drawn.
#include "experiments/hunt/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/hunt/drawn_run.h"
#include "rdma/base/random.h"
#include "txn/registry/load_system.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

class Draw : private DrawnRun {
 public:
  Draw(std::uint64_t seed, const HuntGround& ground, std::uint64_t draw)
      : DrawnRun(seed, draw, ground.sets), ground_(ground), system_(one_of_systems(seed)) {}

  HuntedRun take() {
    cluster();
    length();
    system();
    workload();
    fabric();
    workers();
    audits();
    order_numbers();
    places();
    more_logs();
    sending();
    turns_and_times();
    order_lines();
    return std::move(run_);
  }

 private:
  // The same one whenever a seed is drawn: else those that take few settings would hardly be tried.
  const std::string& one_of_systems(std::uint64_t seed) const {
    return ground_.systems[Random(mix64(~seed)).below(ground_.systems.size())];
  }

  void cluster() {
    set("nodes", one_of(Values{"2", "3", "3", "3", "4", "5"}), {"2", "3"});
    number("replicas", 1, std::min(3UL, std::stoul(run_.value_of("nodes"))));
    number("threads", 1, 3);
    number("nics-per-node", 1, run_.value_of("threads") == "1" ? 1 : 2);
    number("coroutines", 1, 6);
    sometimes(20, "connections", {"2", "3"});
    sometimes(20, "context", {"shared", "own-doorbells"});
    sometimes(30, "nic", {"connectx-3", "connect-ib", "connectx-5", "connectx-6", "connectx-7"});
    sometimes(20, "topology", {"fat-tree", "dragonfly", "torus"});
    sometimes(10, "nic.qp_cache_entries", {"4", "8"});
    sometimes(10, "nic.wqe_cache_entries", {"1", "4"});
    sometimes(10, "nic.max_rd_atomic", {"1", "2"});
    sometimes(10, "nic.atomic_slots", {"1", "2"});
  }

  // Some hundred transactions, or thousand.
  void length() {
    set("warmup", "0s", {});
    set("duration", "5ms",
        {"10us", "20us", "30us", "60us", "120us", "250us", "500us", "1ms", "2ms"});
    number("run.max_transactions", 5, 60, 1);
    be_patient("200ms");
  }

  // With conflicts on few records, and with losses, all coroutines may have to take turns.
  void be_patient(const std::string& time) {
    set("run.patience", time, {});
    set("rdma.drain_timeout", time, {});
  }

  void system() {
    set("system", system_, {""});
    const auto loaded = txn::load_system(run_.value_of("system"));
    replicates_ = loaded->info().replicates;
    draws_ = loaded->info().draws;
    if (!replicates_) return run_.value_of("system") == "si-2pc" ? partitions() : memory_servers();
    if (chance(15)) {
      // Many notifications in flight.
      set("plan", "lock=two-sided,commit=two-sided,commit.passive_ack=on", {""});
    } else if (chance(40)) {
      std::string changes;
      for (std::uint64_t left = 1 + random_.below(3); left > 0; --left) {
        changes += (changes.empty() ? "" : ",") + plan_change();
      }
      set("plan", changes, {""});
    }
    sometimes(40, "run.bucket_slots_percent", {"1", "5", "20"});
    sometimes(20, "run.log_ring_bytes", {"8192", "16384", "65536"});
    sometimes(20, "run.shortest_log_rings", {"true"});
    sometimes(20, "run.location_cache_bytes", {"0", "4096"});
    sometimes(40, "run.warm_location_cache", {"false"});
  }

  // One-sided verbs by compute servers alone.
  void memory_servers() {
    set("replicas", "1", {});
    if (run_.value_of("nodes") == "2") {
      set("nam.oracle_on_memory", "true", {});
    } else {
      sometimes(30, "nam.oracle_on_memory", {"true"});
    }
    if (chance(40)) {
      set("nam.locality", "true", {""});
      set("nics-per-node", "1", {});
    } else {
      sometimes(20, "nam.memory_nodes", {"1"});
    }
    sometimes(50, "nam.stable_snapshots", {"true"});
    sometimes(40, "nam.versions", {"1", "2"});
    if (chance(40)) set("nam.background_snapshots", "true", {""});
    oracle();
    sometimes(40, "nam.bucket_slots_percent", {"1", "5", "20"});
    sometimes(40, "nam.overflow_kib", {"64", "10000"});
  }

  // What nam-naive is among them.
  void oracle() {
    sometimes(40, "nam.oracle", {"compressed", "compressed", "counter"});
    const std::string design = run_.value_of("nam.oracle");
    if (design == "compressed" || (design.empty() && run_.value_of("connections").empty())) {
      sometimes(20, "nam.await_publication", {"false"});
    }
    // A vector of servers is too small for two.
    if (design.empty() && run_.value_of("nodes") == "5") sometimes(50, "nam.oracles", {"2"});
    const bool background = !run_.value_of("nam.background_snapshots").empty();
    if (background) sometimes(20, "nam.fetch_pause", {"1us", "20us"});
    if (design.empty() && background) {
      sometimes(50, "nam.session", {"override"});
    } else if (background || design == "counter") {
      sometimes(20, "nam.session", {"none"});
    }
  }

  // RPCs alone, and a counter server.
  void partitions() {
    partitions_ = true;
    set("replicas", "1", {});
    sometimes(40, "si2pc.counter_workers", {"1", "1", "2"});
    sometimes(40, "si2pc.versions", {"1", "2"});
    sometimes(40, "si2pc.bucket_slots_percent", {"1", "5", "20"});
  }

  const char* age_key() const {
    return partitions_ ? "si2pc.longest_transaction" : "nam.longest_transaction";
  }

  std::string plan_change() {
    const std::string phase =
        one_of(Values{"execute", "validate", "log", "commit", "read", "read-validate"});
    if (chance(10)) return one_of(Values{"execute=hybrid", "read=hybrid", "commit=hybrid"});
    if (chance(25)) {
      return one_of(Values{"commit.passive_ack=on", "commit.passive_ack=on",
                           "commit.passive_ack=off", "execute.cache=on", "execute.cache=off",
                           "execute.locks=on", "execute.locks=off", "log.whole=on",
                           "lock=one-sided", "lock=two-sided"});
    }
    if (chance(50)) {
      return fmt::format("{}={}", phase, one_of(Values{"one-sided", "two-sided"}));
    }
    return fmt::format("{}.{}={}", phase, one_of(Values{"outstanding", "doorbell"}),
                       one_of(Values{"on", "off"}));
  }

  void workload() {
    set("workload", chance(60) ? ground_.workloads.front() : one_of(ground_.workloads), {});
    const std::string name = run_.value_of("workload");
    const auto factory = workloads::workload_factory(name);
    // Those with a flag of their own are called by it.
    const auto key_of = [parameters = factory->parameters()](const std::string& parameter) {
      const auto found = std::ranges::find(parameters, parameter, &Parameter::name);
      return found->flag.empty() ? "workload." + parameter : found->flag;
    };
    for (const auto& [parameter, value] : factory->info().small_tables) {
      const std::string key = key_of(parameter);
      // As many on each node; one or two keep them where not all do.
      const std::string warehouses = replicates_   ? run_.value_of("nodes")
                                     : partitions_ ? one_less(run_.value_of("nodes"))
                                                   : "2";
      set(key, key == "warehouses" ? warehouses : value, {});
    }
    if (name == "stress") stress();
    if (name == "ycsb" && !replicates_) few_records();
  }

  static std::string one_less(const std::string& number) {
    return std::to_string(std::stoul(number) - 1);
  }

  void few_records() {
    set("run.max_transactions", "200", {"1", "5", "20", "50", "100"});
    set("workload.records_per_worker", one_of(Values{"2", "4", "20"}), {"2"});
    set("workload.core", one_of(Values{"A", "F"}), {""});
    sometimes(70, "workload.keys_per_transaction", {"2", "4"});
  }

  void stress() {
    set("workload.keys_per_node", one_of(Values{"4", "8", "24", "64"}), {"4"});
    sometimes(30, "workload.hot_percent", {"0", "80"});
    number("workload.records", 1, 8);
    number("workload.rounds", 1, 4);
    sometimes(30, "workload.read_percent", {"0", "60"});
    sometimes(30, "workload.scan_percent", {"0", "50"});
    sometimes(30, "workload.roll_back_percent", {"0", "25"});
    sometimes(30, "workload.pause_percent", {"0", "50"});
    sometimes(30, "workload.long_bytes", {"8", "56", "64", "600", "1200"});
    sometimes(20, "workload.short_bytes", {"8", "48", "56"});
    set("workload.hot_keys", one_of(Values{"1", "3"}), {"1"});
    sometimes(40, "workload.group_keys", {"4", "4", "16"});
    const std::uint64_t kind = random_.below(100);
    if (kind < 24) return reuse();
    if (kind < 44) return many_keys();
    if (kind < 90) duel();
  }

  // Entries are used again and again, and scans see them come and go.
  void reuse() {
    set("run.max_transactions", "100", {"1", "5", "20", "50"});
    set("workload.keys_per_node", one_of(Values{"4", "4", "8", "24"}), {"4"});
    set("workload.insert_percent", "30", {""});
    set("workload.erase_percent", "25", {""});
    sometimes(50, "workload.read_percent", {"0"});
    sometimes(70, "workload.scan_percent", {"50"});
  }

  // Cores that have hardly anything but a few records, and are in each other's way in the midst of
  // them.
  void duel() {
    duel_ = true;
    set("threads", one_of(Values{"2", "3", "3"}), {"1", "2"});
    set("duration", "10ms",
        {"10us", "20us", "30us", "60us", "120us", "250us", "500us", "1ms", "2ms", "5ms"});
    set("run.max_transactions", "200", {"1", "5", "20", "50", "100"});
    set("workload.keys_per_node", "4", {});
    set("workload.records", one_of(Values{"1", "2", "3"}), {"1"});
    set("workload.scan_percent", "0", {});
    set("workload.read_percent", one_of(Values{"10", "30", "60"}), {""});
    if (chance(50)) {
      updates();
    } else {
      comings_and_goings();
    }
  }

  // Of many lines, soon after they were locked.
  void updates() {
    if (chance(70)) set("replicas", "1", {});
    set("workload.long_bytes", "600", {""});
    set("workload.update_percent", "75", {""});
    for (const char* other : {"insert", "erase", "leave"}) {
      set(fmt::format("workload.{}_percent", other), "0", {""});
    }
    if (!replicates_) return;
    const std::uint64_t sides = random_.below(4);
    if (sides < 2) processors_read();
    if (sides == 2) processors_write();
  }

  void comings_and_goings() {
    const std::uint64_t nodes = std::stoul(run_.value_of("nodes"));
    if (replicates_ && nodes >= 2) {
      number("replicas", 2, std::min<std::uint64_t>(3, nodes), 1);
      sometimes(75, "run.shortest_log_rings", {"true"});
    }
    set("workload.long_bytes", "120", {""});
    set("workload.update_percent", "15", {""});
    set("workload.insert_percent", "40", {""});
    set("workload.erase_percent", "30", {""});
  }

  // What NICs write.
  void processors_read() {
    set("nics-per-node", "1", {});
    set("plan",
        "execute=two-sided,read=two-sided,execute.locks=off,lock=one-sided,commit=one-sided", {""});
  }

  // What NICs read.
  void processors_write() {
    set("plan",
        "execute=one-sided,read=one-sided,execute.locks=off,lock=two-sided,commit=two-sided", {""});
  }

  // Ordered indexes grow, shrink, and are scanned over many of their nodes.
  void many_keys() {
    set("run.max_transactions", "100", {"1", "5", "20", "50"});
    set("workload.keys_per_node", one_of(Values{"256", "512"}), {"24", "64"});
    set("workload.new_records", "2000", {""});
    set("workload.hot_percent", "0", {""});
    set("workload.insert_percent", one_of(Values{"30", "60"}), {""});
    set("workload.erase_percent", one_of(Values{"10", "30"}), {""});
    set("workload.update_percent", "5", {""});
    set("workload.leave_percent", "5", {""});
    set("workload.scan_percent", "40", {""});
    sometimes(50, "workload.scan_length", {"24"});
  }

  void fabric() {
    if (duel_ || asks_for_chaos(ground_) || chance(75)) set("chaos", "true", {""});
    sometimes(20, "rdma.rpc_transport", {"write-ring"});
    // Only datagrams are lost.
    if (chance(60) && run_.value_of("rdma.rpc_transport").empty()) {
      sometimes(70, "fabric.ud_loss", {"0.003", "0.03", "0.1", "0.3"});
      sometimes(50, "fabric.ud_duplicate", {"0.01", "0.1", "0.5"});
      sometimes(50, "fabric.ud_reorder", {"0.05", "0.3"});
    }
    if (run_.value_of("fabric.ud_loss") == "0.3") be_patient("2s");
    if (!replicates_) limit_age();
    if (chance(12)) lossy_connections();
    if (run_.value_of("chaos").empty()) return;
    sometimes(40, "fabric.chaos_jitter_ns", {"50", "3000"});
    if (duel_) {
      if (chance(75)) return meetings();
      set("fabric.chaos_preempt", "0.3", {""});
      set("fabric.chaos_interrupt_ns", one_of(Values{"1000", "3000", "5000"}), {""});
      return;
    }
    if (!replicates_ && chance(80)) return meetings();
    if (chance(30)) return rare_and_long();
    sometimes(50, "fabric.chaos_preempt", {"0", "0.2", "0.4"});
    sometimes(40, "fabric.chaos_interrupt_ns", {"50", "2000"});
  }

  // So that erased records are taken out during a run, but not so short that who has to wait for
  // lost messages, or is interrupted all the time, never ends: stuck sooner than refused.
  void limit_age() {
    const bool loses = !run_.value_of("fabric.ud_loss").empty();
    if (loses || run_.value_of("workload") != "stress" || !chance(60)) return;
    const bool slow = !run_.value_of("chaos").empty();
    const bool by_cpu = !run_.value_of("nam.locality").empty();
    set(age_key(), !slow ? "1ms" : by_cpu ? "10ms" : "3ms", {""});
    if (!slow) be_patient("90ms");
  }

  // Who is in the midst of a record waits there for others.
  void meetings() {
    set("fabric.chaos_meet", one_of(Values{"0.02", "0.05", "0.1"}), {""});
    set("fabric.chaos_interrupt_ns", one_of(Values{"10000", "30000"}), {""});
    set("fabric.chaos_jitter_ns", one_of(Values{"3000", "3000", "10000"}), {""});
  }

  // Interrupts in which others go through a whole transaction.
  void rare_and_long() {
    set("fabric.chaos_preempt", one_of(Values{"0.003", "0.01", "0.03"}), {""});
    set("fabric.chaos_interrupt_ns", one_of(Values{"8000", "30000"}), {""});
  }

  // The last request of a queue pair that is lost is missed when the NIC's timer ends, after 67 ms.
  void lossy_connections() {
    set("fabric.rc_loss", one_of(Values{"0.001", "0.01", "0.03"}), {""});
    if (!replicates_) set(age_key(), "5s", {});
    be_patient("20s");
  }

  // Whoever waits for a lost datagram holds locks, so time-outs are short.
  void workers() {
    set("rdma.rpc_timeout", one_of(Values{"20us", "50us", "100us"}), {"50us"});
    // A message that is written may be lost, and with it those behind it, several times.
    const bool slow = !run_.value_of("fabric.rc_loss").empty();
    set("rdma.rpc_max_timeout", slow ? "300ms" : "1ms", {});
    set("rdma.rpc_retries", "30", {});
    sometimes(25, "rdma.rpc_first_number", {"65500", "16777190", "4294967270"});
    set("rdma.rpc_ack_delay", one_of(Values{"0s", "5us", "10us"}), {""});
    sometimes(20, "rdma.rpc_slots_per_peer", {"1", "2"});
    sometimes(20, "rdma.rpc_notify_window", {"1", "3"});
    sometimes(20, "rdma.signal_interval", {"1", "3"});
    if (chance(20)) {
      set("rdma.send_queue_depth", one_of(Values{"2", "4", "8", "16"}), {""});
      set("rdma.signal_interval", "1", {""});
    }
    sometimes(20, "rdma.qps_in_turn", {"true"});
    sometimes(20, "rdma.signal_all", {"true"});
    sometimes(20, "rdma.max_inline_bytes", {"0"});
    sometimes(20, "rdma.rpc_batch_replies", {"false"});
    sometimes(20, "rdma.poll_batch", {"1"});
    sometimes(20, "rdma.turn_time", {"0s"});
    messages();
  }

  // Short queues and messages of RPCs.
  void messages() {
    sometimes(10, "rdma.rpc_max_message_bytes", {"768", "1024"});
    if (chance(10)) {
      set("rdma.rpc_send_queue_depth", one_of(Values{"2", "8"}), {""});
      set("rdma.rpc_signal_interval", "1", {""});
    }
    if (chance(10)) {
      set("rdma.rpc_receive_depth", one_of(Values{"4", "8"}), {""});
      set("rdma.rpc_receive_batch", one_of(Values{"1", "2"}), {""});
    }
  }

  // Of the money that there is, by transactions that read all of it: where these go by snapshots,
  // since with locks or validation they might never come to an end.
  void audits() {
    const std::string workload = run_.value_of("workload");
    if (replicates_ || (workload != "smallbank" && workload != "tpcc")) return;
    if (run_.value_of("system") == "nam" && run_.value_of("nam.stable_snapshots").empty()) return;
    sometimes(50, "workload.audit_percent", {"2", "10"});
  }

  // Of TPC-C, by systems that can.
  void order_numbers() {
    const std::string workload = run_.value_of("workload");
    if (!draws_ || (workload != "tpcc" && workload != "tpcc-no")) return;
    sometimes(50, "workload.next_order", {"fetch-add"});
  }

  // Of inserted records, where memory servers have them.
  void places() {
    if (replicates_ || partitions_) return;
    sometimes(30, "nam.extent_records", {"1", "4"});
    sometimes(30, "nam.first_buckets", {"1", "1", "4"});
  }

  // Of systems with backups.
  void more_logs() {
    if (!replicates_) return;
    sometimes(15, "plan.log_own_backups", {"true"});
    sometimes(15, "plan.whole_log", {"true"});
    sometimes(20, "plan.log_again", {"true"});
  }

  void sending() { sometimes(20, "rdma.rpc_flush", {"at-once"}); }

  // Turns that resume all who can go on, and what is taken as the time of a transaction.
  void turns_and_times() {
    sometimes(20, "rdma.turn_time", {"1s"});
    sometimes(20, "rdma.poll_batch", {"64"});
    sometimes(20, "run.latency_until", {"returned"});
    if (replicates_) sometimes(20, "run.execution_time", {"remote-reads"});
  }

  // Of TPC-C.
  void order_lines() {
    const std::string workload = run_.value_of("workload");
    if (workload == "tpcc" || workload == "tpcc-no") {
      sometimes(30, "workload.order_lines", {"one-by-one"});
    }
  }

  const HuntGround& ground_;
  std::string system_;
  bool replicates_ = true;
  bool draws_ = false;
  bool partitions_ = false;  // on all nodes but one, without copies
  bool duel_ = false;
};

}  // namespace

HuntedRun draw_run(std::uint64_t seed, const HuntGround& ground, std::uint64_t draw) {
  return Draw(seed, ground, draw).take();
}

}  // namespace verbena::experiments
