// YCSB: operations on single records, or on several in a transaction.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "workloads/read_faults.h"
#include "workloads/workload.h"
#include "workloads/workload_factory.h"
#include "workloads/ycsb/key_chooser.h"
#include "workloads/ycsb/mix.h"
#include "workloads/ycsb/options.h"
#include "workloads/ycsb/record.h"

namespace verbena::workloads {

/// The Yahoo! Cloud Serving Benchmark's core workloads A to F, in transactions of one or, as in
/// YCSB+T, several operations. Records are spread over all nodes.
///
/// One table, keyed by the record's number within the partition (KeySpace) or by its insertion
/// (KeyChooser); ordered if the mix has scans.
class Ycsb : public Workload {
 public:
  static constexpr txn::TableId kRecords = 0;

  /// Throws ConfigurationError for options that do not go together.
  Ycsb(const ClusterSize& shape, const YcsbOptions& options);

  std::string name() const override { return "ycsb"; }
  const txn::Schema& schema() const override { return schema_; }

  /// The operations, and "mixed": several that are not all the same.
  std::span<const std::string> kinds() const override;

  txn::TransactionLimits limits() const override;
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override;

  bool only_replaces() const override;

  /// Number of changes of a record: one for its insertion and one for each update. 0 where updates
  /// replace records, since replaced records do not count them.
  std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const override;

  /// Lists records of the partition whose content does not match their key and number of changes;
  /// before them, the faults that report_read received since the last call, of any partition.
  std::vector<std::string> inconsistencies(txn::PartitionId partition,
                                           txn::StateAtRest& state) const override;

  const ycsb::Mix& mix() const { return mix_; }
  const ycsb::RecordFormat& format() const { return format_; }
  const ycsb::KeyChoice& choice() const { return choice_; }
  std::uint32_t keys_per_transaction() const { return keys_per_transaction_; }
  std::uint32_t max_scan_length() const { return max_scan_length_; }
  /// True if updates replace whole records.
  bool replaces() const { return replaces_; }

  /// Describes what is wrong with a record; empty if nothing is.
  std::string fault(const ycsb::Place& place, std::span<const std::byte> payload) const;

  /// Reports that a committed transaction has read this faulty record, as an error for the check
  /// after the run. Thread-safe.
  void report_read(const ycsb::Place& place, const std::string& fault) const;

 private:
  std::uint32_t keys_per_transaction_;
  std::uint32_t max_scan_length_;
  bool replaces_;
  ycsb::Mix mix_;
  ycsb::RecordFormat format_;
  ycsb::KeyChoice choice_;
  mutable ReadFaults read_faults_;
  txn::Schema schema_;
};

}  // namespace verbena::workloads
