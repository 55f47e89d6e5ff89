// Small tables, few records, and much to do with them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/hunt/draw/draws.h"
#include "experiments/hunt/draw/system_draws.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {
namespace {

using Values = DrawnRun::Values;

void few_records(DrawnRun& run) {
  run.set("run.max_transactions", "200", {"1", "5", "20", "50", "100"});
  run.set("workload.records_per_worker", run.one_of(Values{"2", "4", "20"}), {"2"});
  run.set("workload.core", run.one_of(Values{"A", "F"}), {""});
  run.sometimes(70, "workload.keys_per_transaction", {"2", "4"});
}

// Entries are used again and again, and scans see them come and go.
void reuse(DrawnRun& run) {
  run.set("run.max_transactions", "100", {"1", "5", "20", "50"});
  run.set("workload.keys_per_node", run.one_of(Values{"4", "4", "8", "24"}), {"4"});
  run.set("workload.insert_percent", "30", {""});
  run.set("workload.erase_percent", "25", {""});
  run.sometimes(50, "workload.read_percent", {"0"});
  run.sometimes(70, "workload.scan_percent", {"50"});
}

// Ordered indexes grow, shrink, and are scanned over many of their nodes.
void many_keys(DrawnRun& run) {
  run.set("run.max_transactions", "100", {"1", "5", "20", "50"});
  run.set("workload.keys_per_node", run.one_of(Values{"256", "512"}), {"24", "64"});
  run.set("workload.new_records", "2000", {""});
  run.set("workload.hot_percent", "0", {""});
  run.set("workload.insert_percent", run.one_of(Values{"30", "60"}), {""});
  run.set("workload.erase_percent", run.one_of(Values{"10", "30"}), {""});
  run.set("workload.update_percent", "5", {""});
  run.set("workload.leave_percent", "5", {""});
  run.set("workload.scan_percent", "40", {""});
  run.sometimes(50, "workload.scan_length", {"24"});
}

// Processors read what NICs write.
void processors_read(DrawnRun& run) {
  run.set("nics-per-node", "1", {});
  run.set("plan",
          "execute=two-sided,read=two-sided,execute.locks=off,lock=one-sided,commit=one-sided",
          {""});
}

// Processors write what NICs read.
void processors_write(DrawnRun& run) {
  run.set("plan",
          "execute=one-sided,read=one-sided,execute.locks=off,lock=two-sided,commit=two-sided",
          {""});
}

// Updates of many lines, soon after they were locked.
void updates(DrawnRun& run) {
  if (run.chance(70)) run.set("replicas", "1", {});
  run.set("workload.long_bytes", "600", {""});
  run.set("workload.update_percent", "75", {""});
  for (const char* other : {"insert", "erase", "leave"}) {
    run.set(fmt::format("workload.{}_percent", other), "0", {""});
  }
  if (!run.info().replicates) return;
  const std::uint64_t sides = run.random().below(4);
  if (sides < 2) processors_read(run);
  if (sides == 2) processors_write(run);
}

void comings_and_goings(DrawnRun& run) {
  const std::uint64_t nodes = std::stoul(run.value_of("nodes"));
  if (run.info().replicates && nodes >= 2) {
    run.number("replicas", 2, std::min<std::uint64_t>(3, nodes), 1);
    run.sometimes(75, "run.shortest_log_rings", {"true"});
  }
  run.set("workload.long_bytes", "120", {""});
  run.set("workload.update_percent", "15", {""});
  run.set("workload.insert_percent", "40", {""});
  run.set("workload.erase_percent", "30", {""});
}

// Cores that have hardly anything but a few records, and are in each other's way in the midst of
// them.
void duel(DrawnRun& run) {
  run.be_a_duel();
  run.set("threads", run.one_of(Values{"2", "3", "3"}), {"1", "2"});
  run.set("duration", "10ms",
          {"10us", "20us", "30us", "60us", "120us", "250us", "500us", "1ms", "2ms", "5ms"});
  run.set("run.max_transactions", "200", {"1", "5", "20", "50", "100"});
  run.set("workload.keys_per_node", "4", {});
  run.set("workload.records", run.one_of(Values{"1", "2", "3"}), {"1"});
  run.set("workload.scan_percent", "0", {});
  run.set("workload.read_percent", run.one_of(Values{"10", "30", "60"}), {""});
  if (run.chance(50)) {
    updates(run);
  } else {
    comings_and_goings(run);
  }
}

void stress(DrawnRun& run) {
  run.set("workload.keys_per_node", run.one_of(Values{"4", "8", "24", "64"}), {"4"});
  run.sometimes(30, "workload.hot_percent", {"0", "80"});
  run.number("workload.records", 1, 8);
  run.number("workload.rounds", 1, 4);
  run.sometimes(30, "workload.read_percent", {"0", "60"});
  run.sometimes(30, "workload.scan_percent", {"0", "50"});
  run.sometimes(30, "workload.roll_back_percent", {"0", "25"});
  run.sometimes(30, "workload.pause_percent", {"0", "50"});
  run.sometimes(30, "workload.long_bytes", {"8", "56", "64", "600", "1200"});
  run.sometimes(20, "workload.short_bytes", {"8", "48", "56"});
  run.set("workload.hot_keys", run.one_of(Values{"1", "3"}), {"1"});
  run.sometimes(40, "workload.group_keys", {"4", "4", "16"});
  const std::uint64_t kind = run.random().below(100);
  if (kind < 24) return reuse(run);
  if (kind < 44) return many_keys(run);
  if (kind < 90) duel(run);
}

// Audits of the money that there is, by transactions that read all of it: where these go by
// snapshots, since with locks or validation they might never come to an end.
void audits(DrawnRun& run) {
  const std::string workload = run.value_of("workload");
  if (run.info().replicates || (workload != "smallbank" && workload != "tpcc")) return;
  if (run.info().isolation == txn::Isolation::kSerializability) return;
  if (run.system() == "nam" && !run.has("nam.stable_snapshots")) return;
  run.sometimes(50, "workload.audit_percent", {"2", "10"});
}

// Order numbers of TPC-C, drawn by systems that can.
void order_numbers(DrawnRun& run) {
  const std::string workload = run.value_of("workload");
  if (!run.info().draws || (workload != "tpcc" && workload != "tpcc-no")) return;
  run.sometimes(50, "workload.next_order", {"fetch-add"});
}

// Order lines of TPC-C.
void order_lines(DrawnRun& run) {
  const std::string workload = run.value_of("workload");
  if (workload == "tpcc" || workload == "tpcc-no") {
    run.sometimes(30, "workload.order_lines", {"one-by-one"});
  }
}

}  // namespace

void draw_workload(DrawnRun& run) {
  const bool of_one = run.info().most_records == 1;
  const std::vector<std::string> workloads =
      of_one ? workloads_of_one_record(run)
             : (run.info().scans ? run.ground().workloads : workloads_without_scans(run));
  run.set("workload", run.chance(60) ? workloads.front() : run.one_of(workloads), {});
  const std::string name = run.value_of("workload");
  const auto factory = workloads::workload_factory(name);
  // Parameters with a flag of their own are called by it.
  const auto key_of = [parameters = factory->parameters()](const std::string& parameter) {
    const auto found = std::ranges::find(parameters, parameter, &Parameter::name);
    return found->flag.empty() ? "workload." + parameter : found->flag;
  };
  for (const auto& [parameter, value] : factory->info().small_tables) {
    const std::string key = key_of(parameter);
    const auto warehouses = draws_of(run.system()).warehouses;
    const bool follows = key == "warehouses" && warehouses != nullptr;
    run.set(key, follows ? warehouses(run) : value, {});
  }
  if (of_one) return draw_one_record(run);
  if (name == "stress") stress(run);
  if (name == "ycsb" && !run.info().replicates) few_records(run);
  audits(run);
  order_numbers(run);
  order_lines(run);
  if (!run.info().scans) draw_without_scans(run);
}

}  // namespace verbena::experiments
