// Roles, and what does not go together.
#include "txn/nam/node/placement.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/value_text.h"

namespace verbena::txn::nam {
namespace {

// However they are written.
bool same_place(const std::string& one, const std::string& other) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(one, ignored) ==
         std::filesystem::weakly_canonical(other, ignored);
}

void check_oracle(const Options& options) {
  const bool vector = options.oracle == Oracle::kVector;
  if (options.naive && options.oracle != Oracle::kCounter) {
    throw ConfigurationError(std::string("nam.oracle ") + (vector ? "vector" : "compressed") +
                             "; system '" + options.name + "' has counter");
  }
  // Others' commits are in the same slot, and may be half there.
  if (options.node.session == Session::kOverride &&
      !(vector && options.node.background_snapshots)) {
    throw ConfigurationError(
        "nam.session override; allowed are wait and none, or nam.oracle=vector with "
        "nam.background_snapshots=true");
  }
  if (options.oracles > 1 && options.oracle == Oracle::kCounter) {
    throw ConfigurationError("nam.oracles " + std::to_string(options.oracles) +
                             "; allowed is 1, with nam.oracle=counter");
  }
}

// An entry may be overwritten by the next, so its commit has to be published by then; and it is
// found by its slot.
void check_journals(const Options& options) {
  const NodeOptions& node = options.node;
  if (node.journals == 0) return;
  const std::string said = "nam.journals " + std::to_string(node.journals);
  if (node.journals == 1) {
    throw ConfigurationError(said +
                             "; allowed are 0, and from 2 on: one copy is lost with its server");
  }
  if (options.oracle != Oracle::kVector || !node.await_publication) {
    throw ConfigurationError(
        said + "; allowed is 0, or nam.oracle=vector with nam.await_publication=true");
  }
}

// Refuses options that nothing follows from.
void check_needed(const Options& options) {
  const NodeOptions& node = options.node;
  if (node.fetch_pause > 0 && !node.background_snapshots) {
    throw ConfigurationError("nam.fetch_pause " + format_duration(node.fetch_pause) +
                             "; allowed is 0, or nam.background_snapshots=true");
  }
  if (node.journal_bytes > 0 && node.journals == 0) {
    throw ConfigurationError("nam.journal_bytes " + std::to_string(node.journal_bytes) +
                             "; allowed is 0, or nam.journals from 2 on");
  }
}

void check_checkpoints(const Options& options) {
  const NodeOptions& node = options.node;
  if (node.journals == 0) {
    if (!node.checkpoints.empty()) {
      throw ConfigurationError("nam.checkpoints '" + node.checkpoints +
                               "'; allowed with nam.journals from 2 on: what was committed since "
                               "stands there");
    }
    if (!node.restore.empty()) {
      throw ConfigurationError("nam.restore '" + node.restore +
                               "'; allowed with nam.journals as they were when it was saved");
    }
  }
  if (options.oracles > 1 && !(node.checkpoints.empty() && node.restore.empty())) {
    throw ConfigurationError("nam.oracles " + std::to_string(options.oracles) +
                             "; allowed is 1 with nam.checkpoints or nam.restore");
  }
  if (!node.restore.empty() && same_place(node.restore, node.checkpoints)) {
    throw ConfigurationError("nam.checkpoints '" + node.checkpoints +
                             "'; allowed is another directory than nam.restore: of what is there "
                             "all is needed until all servers have saved theirs");
  }
}

void check_heartbeat(const Options& options) {
  const NodeOptions& node = options.node;
  if (node.heartbeat == 0) return;
  const std::string said = "nam.heartbeat " + format_duration(node.heartbeat);
  if (node.journals == 0) {
    throw ConfigurationError(said +
                             "; allowed is 0, or nam.journals: without them nobody can "
                             "finish what a server has begun to install");
  }
  if (node.locality) {
    throw ConfigurationError(said +
                             "; allowed is 0 with nam.locality=true: who dies takes records "
                             "with him");
  }
  if (options.oracles > 1) {
    throw ConfigurationError(said + "; allowed is 0 with nam.oracles above 1");
  }
  if (node.suspect_after < 2 * node.heartbeat) {
    throw ConfigurationError("nam.suspect_after " + format_duration(node.suspect_after) +
                             "; allowed is at least twice nam.heartbeat, " +
                             format_duration(std::int64_t{2} * node.heartbeat));
  }
}

// Settings with which so many nodes are enough; the more usual ones first.
std::string what_needs_fewer(const Options& options, std::uint32_t nodes) {
  const std::uint32_t apart = options.node.locality ? 1 : 2;
  std::string keys;
  if (!options.oracle_on_memory && apart <= nodes) keys = "nam.oracle_on_memory=true";
  if (!options.node.locality && 1 + (options.oracle_on_memory ? 0 : options.oracles) <= nodes) {
    keys += (keys.empty() ? "" : " or ") + std::string("nam.locality=true");
  }
  if (keys.empty() && nodes == 1) keys = "nam.locality=true and nam.oracle_on_memory=true";
  if (keys.empty()) return "";
  return "; with " + keys + " " + std::to_string(nodes) + (nodes == 1 ? " is" : " are") + " enough";
}

// The number of nodes besides oracles of their own.
std::uint32_t check_nodes(const Options& options, const ClusterShape& shape) {
  const bool locality = options.node.locality;
  if (options.node.own_by_nic && !locality) {
    throw ConfigurationError(
        "nam.own_by_nic true; allowed is false, or nam.locality=true: no other node has records "
        "and "
        "transactions both");
  }
  const std::uint32_t oracles = options.oracle_on_memory ? 0 : options.oracles;
  const std::uint32_t least = (locality ? 1 : 2) + oracles;
  if (shape.nodes < least) {
    throw ConfigurationError("nodes " + std::to_string(shape.nodes) + "; system '" + options.name +
                             "' needs " + std::to_string(least) + ": to compute" +
                             (locality ? " and to keep records" : ", to keep records") +
                             (oracles > 0 ? ", and as oracles" : "") +
                             what_needs_fewer(options, shape.nodes));
  }
  if (locality && options.memory_nodes != 0) {
    throw ConfigurationError("nam.memory_nodes " + std::to_string(options.memory_nodes) +
                             "; with nam.locality=true all nodes are, allowed is 0");
  }
  return shape.nodes - oracles;
}

std::uint32_t check_memory(const Options& options, const ClusterShape& shape,
                           std::uint32_t others) {
  const std::uint32_t half = options.memory_nodes == 0 ? others / 2 : options.memory_nodes;
  const std::uint32_t memory = options.node.locality ? others : half;
  if (!options.node.locality && memory >= others) {
    throw ConfigurationError("nam.memory_nodes " + std::to_string(memory) +
                             "; allowed are at most " + std::to_string(others - 1) + " of " +
                             std::to_string(shape.nodes) + " nodes");
  }
  const auto limit = [memory](const char* key, std::uint32_t value, const char* when) {
    if (value <= memory) return;
    throw ConfigurationError(key + (" " + std::to_string(value)) +
                             "; allowed are at most as many as memory servers, " +
                             std::to_string(memory) + when);
  };
  if (options.oracle_on_memory) {
    limit("nam.oracles", options.oracles, ", with nam.oracle_on_memory=true");
  }
  limit("nam.journals", options.node.journals, "");
  if (options.node.heartbeat > 0 && others - memory < 2) {
    throw ConfigurationError("nam.heartbeat " + format_duration(options.node.heartbeat) +
                             "; allowed is 0 with one compute server, which nobody watches");
  }
  return memory;
}

}  // namespace

View place(const Options& options, const ClusterShape& shape) {
  if (shape.replicas != 1) {
    throw ConfigurationError("replicas " + std::to_string(shape.replicas) + "; system '" +
                             options.name + "' keeps 1 copy of each record");
  }
  check_oracle(options);
  check_journals(options);
  check_checkpoints(options);
  check_heartbeat(options);
  check_needed(options);
  const std::uint32_t others = check_nodes(options, shape);
  const std::uint32_t memory = check_memory(options, shape, others);
  std::vector<Role> roles(shape.nodes, Role::kOracle);
  std::fill_n(roles.begin(), others, options.node.locality ? Role::kBoth : Role::kMemory);
  std::fill_n(roles.begin(), others - memory, Role::kCompute);
  std::vector<std::vector<NodeId>> holders;
  for (std::uint32_t p = 0; p < memory; ++p) {
    holders.push_back({static_cast<NodeId>(others - memory + p)});
  }
  return {std::move(roles), std::move(holders)};
}

void check_endpoint(const Options& options, const rdma::EndpointOptions& asked) {
  if (options.memory_workers > asked.workers) {
    throw ConfigurationError("nam.memory_workers " + std::to_string(options.memory_workers) +
                             "; allowed are at most as many as --threads " +
                             std::to_string(asked.workers));
  }
  if (!options.node.await_publication && asked.qps_per_peer > 1 &&
      options.oracle == Oracle::kVector) {
    throw ConfigurationError(
        "nam.await_publication false; allowed with --connections 1 only, since the vector would go "
        "back where WRITEs of a slot overtake each other");
  }
  if (options.node.locality && asked.nics != 1) {
    throw ConfigurationError("--nics-per-node " + std::to_string(asked.nics) +
                             "; allowed is 1 with nam.locality=true: a memory server has one, "
                             "since atomics of several do not exclude each other");
  }
}

}  // namespace verbena::txn::nam
