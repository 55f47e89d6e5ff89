// A workload's part in a run: tables, transactions and what must be conserved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "rdma/base/types.h"
#include "txn/schema/table.h"

namespace verbena::txn {
class StateAtRest;
class Transaction;
}  // namespace verbena::txn

namespace verbena::workloads {

/// How an attempt of a transaction ended.
enum class Attempt : std::uint8_t {
  kCommitted,
  kAborted,     ///< by a conflict: to be tried again with the same input
  kRolledBack,  ///< by the application (e.g. insufficient funds): final
};

/// One stream of transactions: belongs to one fiber. Not thread-safe.
class WorkloadClient {
 public:
  virtual ~WorkloadClient() = default;

  /// Chooses the next transaction and its input; returns its kind, an index into Workload::kinds().
  virtual std::uint32_t next() = 0;

  /// Runs one attempt of the chosen transaction from begin to commit; may be called again with the
  /// same input after kAborted.
  virtual Attempt execute(txn::Transaction& transaction) = 0;

  /// Change in the total of Workload::amount over all records by the transactions that this client
  /// has committed.
  virtual std::int64_t committed_change() const = 0;
};

/// A client among those of a run. Clients with the same home are told apart by worker and fiber.
struct ClientPlace {
  txn::PartitionId home = 0;  ///< which the client's transactions are mostly about
  WorkerId worker = 0;
  std::uint16_t fiber = 0;  ///< counts from 0 on each worker
};

/// A workload for a cluster of a given shape. Immutable during a run; shared by all clients, which
/// may be on different threads.
class Workload {
 public:
  virtual ~Workload() = default;

  virtual std::string name() const = 0;
  virtual const txn::Schema& schema() const = 0;

  /// Names of the kinds of transactions.
  virtual std::span<const std::string> kinds() const = 0;

  /// Most that one transaction touches.
  virtual txn::TransactionLimits limits() const = 0;

  /// True when no transaction writes a record that it has read.
  virtual bool only_replaces() const { return false; }

  /// The client of one fiber.
  virtual std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                                      Random random) const = 0;

  /// A record's part of the total that the check after a run compares: final total = initial total
  /// + what committed transactions say they changed. Zero for tables without such a meaning.
  virtual std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const = 0;

  /// Faults, one line each, of the records of a partition and between them, when its primary copy's
  /// node is at rest after a run.
  virtual std::vector<std::string> inconsistencies(txn::PartitionId, txn::StateAtRest&) const {
    return {};
  }

  /// True when inconsistencies() looks at what holds between records; where writes are undecided
  /// (txn::SelfCheck) that need not hold. False: it looks only at each of them, and at what clients
  /// have read.
  virtual bool relates_records() const { return false; }
};

}  // namespace verbena::workloads
