// A cluster whose fibers run transactions, for tests of the protocol.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "tests/support/test_fabric.h"
#include "txn/check/history.h"
#include "txn/occ/transaction.h"
#include "txn/occ/transaction_node.h"

namespace verbena::txn::occ {

/// Which fiber a body runs on.
struct Place {
  /// The partition whose primary copy the node has.
  PartitionId home() const { return PartitionId(std::uint16_t{node}); }

  NodeId node;
  WorkerId worker;
  std::uint16_t fiber;
};

/// Plans that a test of each plan tries: all, or on a device those that differ there in their
/// primitives. The others are these without speculation or passive_ack, and FaSST that validates as
/// FaRM does.
std::vector<std::string> plans_of_fabric();

/// The content that every test's tables begin with: each word of a payload is this number.
std::uint64_t initial_word(PartitionId partition, Key key);

/// A table of `records` records whose payload is `words` words.
TableDefinition word_table(std::string name, std::uint32_t words, std::uint64_t records,
                           std::uint64_t inserts = 0);

struct ClusterOptions {
  testing::FabricShape fabric = {.nodes = 3};
  Schema schema = {word_table("words", 1, 100)};
  Plan plan = plan_preset("drtmh");
  std::uint32_t replicas = 2;
  std::uint32_t fibers = 1;
  std::uint32_t max_records = 8;
  std::uint32_t max_scanned = 0;
  std::uint64_t log_ring_bytes = 8192;
  std::uint64_t location_cache_bytes = 1 << 20;
  std::uint32_t qps_per_peer = 1;
};

/// All nodes of a cluster in this process, history recorded.
class TransactionCluster {
 public:
  using Body = std::function<void(Transaction&, const Place&)>;

  explicit TransactionCluster(ClusterOptions options);

  NodeState& node(NodeId node) { return nodes_[node]->node(); }
  /// The node with the primary copy.
  NodeState& holder(PartitionId partition) { return node(Placement::primary(partition)); }
  Coordinator& coordinator(NodeId node, WorkerId worker) {
    return nodes_[node]->coordinator(worker);
  }
  Participant& participant(NodeId node) { return *nodes_[node]; }
  /// State that the node with the primary copy shows to checks.
  StateAtRest& state(PartitionId partition) {
    return participant(Placement::primary(partition)).state();
  }

  /// Runs `body` on every fiber of every worker of every node, then drains: every backup has
  /// applied all logs. May be called again.
  void run(const Body& body);

  /// Runs `body` on the first fiber of `node` alone, while the others serve it.
  void run_on(NodeId node, const std::function<void(Transaction&)>& body);

  /// Runs `body` again and again on a fiber, with back-off, until it returns true.
  static void until_committed(txn::Transaction& transaction, Random& random,
                              const std::function<bool()>& body);

  /// The first word of the primary copy's payload, and its version.
  std::uint64_t word(const RecordName& name);
  std::uint64_t version(const RecordName& name);
  /// Memory of a record's primary copy.
  std::byte* live(const RecordName& name);

  History history();

  /// Tells what is wrong with locks, torn lines and backups, one line; nothing if all is well.
  std::optional<std::string> inconsistency();

  std::uint64_t counter(Counter counter);

  /// Returns the number of updates that backups have applied, in runs and after them.
  std::uint64_t applied_updates() { return counter(Counter::kAppliedUpdates) + applied_at_rest_; }
  /// Returns how many of those after runs were newer than what was there.
  std::uint64_t changed_at_rest() const { return changed_at_rest_; }

 private:
  struct Fiber {
    Place place;
    std::unique_ptr<Transaction> transaction;
  };

  ClusterOptions options_;
  testing::FabricShape shape_;
  std::unique_ptr<testing::Cluster> cluster_;
  std::vector<std::unique_ptr<TransactionNode>> nodes_;
  std::uint64_t applied_at_rest_ = 0;
  std::uint64_t changed_at_rest_ = 0;
  std::vector<Fiber> fibers_;
};

}  // namespace verbena::txn::occ
