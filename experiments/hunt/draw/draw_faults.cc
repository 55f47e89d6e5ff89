// Journals, nodes that die, and clusters that begin again.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/hunt/draw/draws.h"
#include "rdma/base/errors.h"
#include "rdma/base/parameter.h"
#include "txn/registry/load_system.h"
#include "txn/system.h"
#include "txn/view.h"

namespace verbena::experiments {
namespace {

using Values = DrawnRun::Values;

struct Roles {
  std::vector<std::string> compute;  // nodes that run transactions
  std::vector<std::string> keep;     // memory servers
};

// As the system places them; none where it refuses what was drawn.
Roles roles_of(const DrawnRun& run) {
  const auto system = txn::load_system(run.system());
  for (txn::ParameterSection& section : system->parameters()) {
    for (const Parameter& parameter : section.parameters) {
      const std::string key = section.name + "." + parameter.name;
      if (run.has(key)) assign(parameter, run.value_of(key));
    }
  }
  Roles roles;
  try {
    const auto nodes = static_cast<std::uint32_t>(std::stoul(run.value_of("nodes")));
    const txn::View view = system->place({.nodes = nodes, .replicas = 1});
    for (std::uint32_t node = 0; node < nodes; ++node) {
      const txn::Role role = view.role(static_cast<NodeId>(node));
      if (view.computes(static_cast<NodeId>(node))) roles.compute.push_back(std::to_string(node));
      if (role == txn::Role::kMemory || role == txn::Role::kBoth) {
        roles.keep.push_back(std::to_string(node));
      }
    }
  } catch (const ConfigurationError&) {
    return {};
  }
  return roles;
}

// At which a compute server has begun what others have to finish, or have to undo.
std::string point_of_commits(DrawnRun& run) {
  return run.one_of(Values{"nam: about to lock", "nam: all locks held",
                           "nam: journal is being written", "nam: journal written",
                           "nam: new versions are being written", "nam: new versions installed",
                           "nam: commit published"});
}

std::string point_of_recoveries(DrawnRun& run) {
  return run.one_of(Values{"nam: compute server is silent for too long",
                           "nam: transaction of a dead server rolled forward",
                           "nam: transactions of a dead server are finished"});
}

void kill(DrawnRun& run, const std::string& which, const std::string& node,
          const std::string& point, std::uint64_t most) {
  run.set("faults." + which + "_node", node, {""});
  run.set("faults." + which + "_at", point, {""});
  run.set("faults." + which + "_count", std::to_string(1 + run.random().below(most)), {""});
}

void kill_late(DrawnRun& run) {
  if (run.has("chaos")) run.sometimes(60, "faults.kill_late", {"20us", "800us"});
}

// So that nobody counts as dead who is alive: a WRITE that is lost, and four times more when it is
// repeated after 34 ms, comes within `suspect_after`, as do servers whose CPUs are interrupted all
// the time, or whose NICs read each request of a long queue from memory. NICs give up after 235 ms,
// when others know who is dead.
void heartbeats(DrawnRun& run) {
  if (run.has("fabric.rc_loss")) {
    run.set("nam.heartbeat", "10ms", {});
    run.set("nam.suspect_after", "190ms", {});
    run.set("rdma.rc_timeout_exponent", "13", {});
    return;
  }
  const std::string often = run.one_of(Values{"10us", "50us", "200us"});
  run.set("nam.heartbeat", run.has("nic.wqe_cache_entries") ? "200us" : often, {});
  run.set("nam.suspect_after", run.one_of(Values{"5ms", "10ms"}), {});
}

void die_and_be_finished(DrawnRun& run, const Roles& roles) {
  heartbeats(run);
  if (run.chance(15)) return;
  const std::size_t first = run.random().below(roles.compute.size());
  kill(run, "kill", roles.compute[first], point_of_commits(run), 30);
  kill_late(run);
  // With lost packets, two servers are found dead one after the other only when NICs have given up.
  if (roles.compute.size() < 3 || run.has("fabric.rc_loss") || !run.chance(40)) return;
  const std::size_t second =
      (first + 1 + run.random().below(roles.compute.size() - 1)) % roles.compute.size();
  const bool recovers = run.chance(40);
  kill(run, "second", roles.compute[second],
       recovers ? point_of_recoveries(run) : point_of_commits(run), recovers ? 1 : 40);
}

void begin_again(DrawnRun& run, const Roles& roles) {
  run.set("faults.restore", "true", {});
  // The default is longer than the run, and rings would be full before.
  run.set("nam.checkpoint_interval", run.one_of(Values{"50us", "100us", "400us"}), {});
  if (run.chance(15)) return;
  // Transactions that wait for a server that is gone keep locks, and others try again and again,
  // until its NIC gives up: after a millisecond instead of half a second, where no packets are
  // lost; or 13, where others are to find out first which compute server is dead.
  if (!run.has("fabric.rc_loss")) {
    run.set("rdma.rc_timeout_exponent", run.has("nam.heartbeat") ? "10" : "6", {});
    run.set("rdma.rc_retries", "2", {});
  }
  const std::string server = run.one_of(roles.keep);
  const std::string point =
      run.one_of(Values{"nam: checkpoint is being taken", "nam: checkpoint written"});
  if (!run.has("faults.kill_at")) return kill(run, "kill", server, point, 7);
  kill(run, "second", server, point, 40);
}

}  // namespace

void draw_nam_faults(DrawnRun& run) {
  if (!run.has("nam.journals")) return;
  run.sometimes(30, "nam.journal_bytes", {"1500", "4000", "20000"});
  const Roles roles = roles_of(run);
  if (roles.compute.empty() || roles.keep.empty()) return;
  const bool watched = roles.compute.size() >= 2 && !run.has("nam.locality") && run.chance(70);
  if (watched) die_and_be_finished(run, roles);
  // Journals do not tell how far numbers were drawn.
  if (run.has("workload.next_order")) return;
  if (run.chance(watched ? 30 : 60)) begin_again(run, roles);
}

}  // namespace verbena::experiments
