// A workload: tables, transactions, and invariants.
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

/// Outcome of an attempt of a transaction.
enum class Attempt : std::uint8_t {
  kCommitted,
  kAborted,     ///< by a conflict: to be tried again with the same input
  kRolledBack,  ///< by the application (e.g. insufficient funds): final
};

/// One stream of transactions. Belongs to one fiber; not thread-safe.
class WorkloadClient {
 public:
  virtual ~WorkloadClient() = default;

  /// Chooses the next transaction and its input; returns its kind, an index into Workload::kinds().
  virtual std::uint32_t next() = 0;

  /// Runs one attempt of the chosen transaction from begin to commit; may be called again with the
  /// same input after kAborted.
  virtual Attempt execute(txn::Transaction& transaction) = 0;

  /// Change of the total of Workload::amount by the transactions that this client has committed.
  virtual std::int64_t committed_change() const = 0;
};

/// Place of a client in a run. Worker and fiber distinguish clients with the same home.
struct ClientPlace {
  txn::PartitionId home = 0;  ///< partition that most of its transactions use
  WorkerId worker = 0;
  std::uint16_t fiber = 0;  ///< counts from 0 on each worker
};

/// A workload for a cluster of a given shape. Immutable during a run; all clients share it, on any
/// threads.
class Workload {
 public:
  virtual ~Workload() = default;

  virtual std::string name() const = 0;
  virtual const txn::Schema& schema() const = 0;

  /// Names of the kinds of transactions.
  virtual std::span<const std::string> kinds() const = 0;

  /// Greatest numbers of records and bytes that one transaction uses.
  virtual txn::TransactionLimits limits() const = 0;

  /// True if no transaction writes a record that it has read.
  virtual bool only_replaces() const { return false; }

  /// Makes the client of one fiber.
  virtual std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                                      Random random) const = 0;

  /// Contribution of a record to the total that the check after a run compares: the final total
  /// must be the initial one plus the changes reported by committed transactions. 0 for tables that
  /// do not contribute.
  virtual std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const = 0;

  /// Lists faults in the records of a partition and between them, one line each. The node of its
  /// primary copy must be at rest after a run.
  virtual std::vector<std::string> inconsistencies(txn::PartitionId, txn::StateAtRest&) const {
    return {};
  }

  /// True if inconsistencies() compares records with each other; such conditions need not hold
  /// where writes are undecided (txn::SelfCheck). False: it checks only single records and what
  /// clients have read.
  virtual bool relates_records() const { return false; }
};

}  // namespace verbena::workloads
