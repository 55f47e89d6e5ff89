// Parameters of YCSB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace verbena::workloads {

/// Parameters, with the defaults of YCSB's core workload A. Those without a value follow the core
/// workload.
struct YcsbOptions {
  std::string core = "A";  ///< the letter of the core workload, A to F
  // Shares of operations in percent; scans are transactions of their own.
  std::optional<std::uint32_t> read_percent = {};
  std::optional<std::uint32_t> update_percent = {};
  std::optional<std::uint32_t> insert_percent = {};
  std::optional<std::uint32_t> scan_percent = {};
  std::optional<std::uint32_t> read_modify_write_percent = {};
  std::string distribution = "auto";  ///< or "uniform", "zipfian", "latest"
  double zipf_coefficient = 0.99;     ///< of zipfian and latest
  std::uint64_t records_per_worker = 100'000;
  std::uint64_t records = 0;  ///< in the cluster; 0: by records_per_worker
  /// "change": updates read the record and change a field. "replace": they write the whole record
  /// and read nothing. "auto": "replace" on key-value stores, where they are PUTs; "change" on
  /// others.
  std::string update = "auto";
  /// Room for records that a run inserts.
  std::uint64_t new_records_per_worker = 20'000;
  std::uint32_t field_count = 10;
  std::uint32_t field_bytes = 100;
  /// Length of keys; bytes beyond the store's 8 are stored in the record.
  std::uint32_t key_bytes = 24;
  std::uint32_t max_scan_length = 100;
  std::uint32_t keys_per_transaction = 1;
  /// Share of keys on the client's own node; nothing: keys are spread over the whole cluster.
  std::optional<std::uint32_t> local_percent = {};
};

}  // namespace verbena::workloads
