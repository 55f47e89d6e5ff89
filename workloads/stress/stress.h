// Stress: a workload of all possible operations on few records, to find errors.
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

/// Transactions on random records in several rounds of fetching, some after a scan. Some only read;
/// others update, insert and erase, announce records without changing them, update records wanted
/// only for reading, use a record several times, wait in between, or are rolled back. Every write
/// has distinct content (stress::Stamp).
///
/// Tables are `short` and `long`, the latter ordered and with payloads of several cache lines.
/// Every node has keys 0 to keys_per_node - 1 of each table; the even ones exist at first.
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

  /// Counts every record as one.
  std::int64_t amount(txn::TableId, std::span<const std::byte>) const override { return 1; }

  /// Lists records with invalid content; before them, the faults that report_read received since
  /// the last call, of any partition.
  std::vector<std::string> inconsistencies(txn::PartitionId partition,
                                           txn::StateAtRest& state) const override;

  const StressOptions& options() const { return options_; }
  std::uint32_t partitions() const { return partitions_; }
  std::string text_of(const txn::RecordName& name) const;

  /// Reports an impossible read of a transaction, as an error for the check after the run.
  /// Thread-safe.
  void report_read(const std::string& fault) const { read_faults_.add(fault); }

 private:
  StressOptions options_;
  std::uint32_t partitions_;
  mutable ReadFaults read_faults_;
  txn::Schema schema_;
};

}  // namespace verbena::workloads
