// A cluster whose fibers run transactions, for tests of the protocol.
#include "tests/txn/occ/transaction_cluster.h"

#include <cstring>
#include <utility>

#include "rdma/base/backoff.h"
#include "rdma/worker.h"
#include "txn/occ/attempt/coordinator.h"
#include "txn/occ/node/node_sizes.h"

namespace verbena::txn::occ {

std::vector<std::string> plans_of_fabric() {
  return testing::by_fabric(plan_names(), {"drtmh", "farm", "fasst", "one-sided", "two-sided"});
}

std::uint64_t initial_word(PartitionId partition, Key key) { return partition * 1000U + key; }

TableDefinition word_table(std::string name, std::uint32_t words, std::uint64_t records,
                           std::uint64_t inserts) {
  return {.name = std::move(name),
          .payload_bytes = words * 8,
          .initial_records = records,
          .insert_capacity = inserts,
          .load = [](PartitionId partition, Key key, std::span<std::byte> payload) {
            const std::uint64_t word = initial_word(partition, key);
            for (std::size_t at = 0; at < payload.size(); at += 8) {
              std::memcpy(payload.data() + at, &word, sizeof word);
            }
          }};
}

TransactionCluster::TransactionCluster(ClusterOptions options)
    : options_(std::move(options)), shape_(options_.fabric) {
  TransactionLimits limits = TransactionLimits::any_of(options_.schema, options_.max_records);
  limits.scanned = options_.max_scanned;
  const NodeOptions transactions{
      {.plan = resolve(options_.plan, {.cpu_coherent_atomics = false, .nics = 1}),
       .log_ring_bytes = options_.log_ring_bytes,
       .location_cache_bytes = options_.location_cache_bytes,
       .warm_location_cache = false},
      options_.replicas,
      options_.fibers,
      limits,
      /*record_history=*/true};
  rdma::EndpointOptions endpoint = testing::options_for(shape_);
  endpoint.fibers_per_worker = options_.fibers + 1;
  endpoint.qps_per_peer = options_.qps_per_peer;
  endpoint.scratch_bytes = scratch_bytes(transactions, shape_.nodes);
  cluster_ = std::make_unique<testing::Cluster>(shape_, endpoint, [&](rdma::Endpoint& added) {
    nodes_.push_back(std::make_unique<TransactionNode>(added, options_.schema, transactions));
  });
  for (const auto& node : nodes_) {
    node->start();
    for (std::uint32_t worker = 0; worker < shape_.workers; ++worker) {
      const auto id = static_cast<WorkerId>(worker);
      node->measure(id, 0, kNever);
      for (std::uint32_t fiber = 0; fiber < options_.fibers; ++fiber) {
        const auto number = static_cast<std::uint16_t>(fiber);
        fibers_.push_back(
            {.place = {.node = node->node().node(), .worker = id, .fiber = number},
             .transaction = std::make_unique<Transaction>(node->coordinator(id), number)});
      }
    }
  }
}

void TransactionCluster::run(const Body& body) {
  for (Fiber& fiber : fibers_) {
    Coordinator& own = coordinator(fiber.place.node, fiber.place.worker);
    own.worker().spawn([&own, &fiber, &body] {
      body(*fiber.transaction, fiber.place);
      own.log_space().transactions_done();
    });
    if (fiber.place.fiber == 0) {
      own.worker().spawn([&own] { own.log_space().keep(); });
    }
  }
  cluster_->run();
  for (const auto& node : nodes_) {
    const Service::Applied applied = node->apply_logs();
    applied_at_rest_ += applied.updates;
    changed_at_rest_ += applied.changed;
  }
}

void TransactionCluster::run_on(NodeId node, const std::function<void(Transaction&)>& body) {
  run([&](Transaction& transaction, const Place& place) {
    if (place.node == node && place.worker == 0 && place.fiber == 0) body(transaction);
  });
}

void TransactionCluster::until_committed(txn::Transaction& transaction, Random& random,
                                         const std::function<bool()>& body) {
  Backoff backoff;
  while (!body()) transaction.wait(backoff.next(random, 0_ns));
}

std::byte* TransactionCluster::live(const RecordName& name) {
  Store& store = holder(name.partition).store();
  return store.record(0, name.table, store.find_at_rest(0, name.table, name.key).value());
}

std::uint64_t TransactionCluster::word(const RecordName& name) {
  return load_word(live(name) + kRecordHeaderBytes);
}

std::uint64_t TransactionCluster::version(const RecordName& name) {
  return load_word(live(name) + kVersionOffset);
}

History TransactionCluster::history() {
  History all;
  for (const auto& node : nodes_) {
    for (std::uint32_t worker = 0; worker < shape_.workers; ++worker) {
      all.append(*node->history(static_cast<WorkerId>(worker)));
    }
  }
  return all;
}

std::uint64_t TransactionCluster::counter(Counter counter) {
  std::uint64_t sum = 0;
  for (const auto& node : nodes_) {
    for (std::uint32_t worker = 0; worker < shape_.workers; ++worker) {
      sum +=
          node->metrics(static_cast<WorkerId>(worker)).counters[static_cast<std::size_t>(counter)];
    }
  }
  return sum;
}

std::optional<std::string> TransactionCluster::inconsistency() {
  const StoreLayout& layout = node(0).layout();
  for (const auto& participant : nodes_) {
    NodeState& primary = participant->node();
    for (std::uint32_t t = 0; t < layout.tables(); ++t) {
      const auto table = static_cast<TableId>(t);
      const RecordFormat& format = layout.table(table).format;
      for (std::uint32_t entry = 0; entry < primary.store().used_entries(0, table); ++entry) {
        const std::string where = "partition " + std::to_string(primary.node()) + " table " +
                                  std::to_string(t) + " entry " + std::to_string(entry);
        const std::byte* record = primary.store().record(0, table, entry);
        if (load_word(record) != kUnlocked) return where + " is locked";
        if (!format.untorn(record)) return where + " has lines of different versions";
        for (std::uint32_t c = 1; c < options_.replicas; ++c) {
          const auto copy = static_cast<CopyId>(c);
          const Placement& placement = layout.placement();
          const NodeId holder = placement.holder(placement.partition_of(primary.node(), 0), copy);
          const std::byte* backup = node(holder).store().record(copy, table, entry);
          // A record that is absent may be the remains of an insert that was given up.
          if (absent(load_word(record + kVersionOffset)) &&
              absent(load_word(backup + kVersionOffset))) {
            continue;
          }
          if (std::memcmp(record, backup, format.bytes()) != 0) {
            return where + " differs at its backup, node " + std::to_string(holder);
          }
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace verbena::txn::occ
