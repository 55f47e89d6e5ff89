// Stress: few records, and transactions that do to them whatever can be done, for finding errors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "workloads/read_faults.h"
#include "workloads/stress/options.h"
#include "workloads/workload.h"
#include "workloads/workload_factory.h"

namespace verbena::workloads {

/// Transactions of random records in several rounds of fetching, with and without a scan before:
/// some only read, others update, insert and erase, announce records and leave them as they are,
/// update what was only wanted for reading, use a record several times, wait in between, or are
/// rolled back. Every write is told from every other by what it writes (stress::Stamp).
///
/// Tables `short` and `long`, the latter ordered and with payloads over several cache lines; every
/// node has keys 0 to keys_per_node - 1 of each, of which the even ones exist at first.
class Stress : public Workload {
 public:
  /// Throws ConfigurationError for options that do not go together.
  Stress(const ClusterSize& size, const StressOptions& options);

  std::string name() const override { return "stress"; }
  const txn::Schema& schema() const override { return schema_; }
  std::span<const std::string> kinds() const override;
  txn::TransactionLimits limits() const override;
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override;

  /// Every record counts as one.
  std::int64_t amount(txn::TableId, std::span<const std::byte>) const override { return 1; }

  /// Records whose content is none. Before these, what was reported by report_read since the last
  /// call, of any partition.
  std::vector<std::string> inconsistencies(txn::PartitionId partition,
                                           txn::StateAtRest& state) const override;

  const StressOptions& options() const { return options_; }
  std::uint32_t partitions() const { return partitions_; }
  std::string text_of(const txn::RecordName& name) const;

  /// A transaction has seen what cannot be: an error for the check after the run. Thread-safe.
  void report_read(const std::string& fault) const { read_faults_.add(fault); }

 private:
  StressOptions options_;
  std::uint32_t partitions_;
  mutable ReadFaults read_faults_;
  txn::Schema schema_;
};

}  // namespace verbena::workloads
