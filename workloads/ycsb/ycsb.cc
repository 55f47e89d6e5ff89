// YCSB as a workload.
#include "workloads/ycsb/ycsb.h"

#include <algorithm>
#include <array>
#include <span>

#include "txn/state_at_rest.h"
#include "workloads/ycsb/client.h"

namespace verbena::workloads {
namespace {

using ycsb::KeyChooser;
using ycsb::Operation;

const std::array<std::string, ycsb::kOperations + 1> kKindNames = {
    "read", "update", "insert", "scan", "read_modify_write", "mixed"};

// More would tell no more about what went wrong.
constexpr std::size_t kMostFaults = 10;

std::uint64_t records_of_node(const ClusterSize& size, const YcsbOptions& options) {
  if (options.records == 0) return options.records_per_worker * size.workers;
  return (options.records + size.partitions - 1) / size.partitions;
}

}  // namespace

Ycsb::Ycsb(const ClusterSize& shape, const YcsbOptions& options)
    : keys_per_transaction_(options.keys_per_transaction),
      max_scan_length_(options.max_scan_length),
      replaces_(options.update == "replace" || (options.update == "auto" && shape.key_value_store)),
      mix_(ycsb::mix_of(options)),
      format_(options.field_count, options.field_bytes, options.key_bytes),
      choice_({.nodes = shape.partitions, .records_per_node = records_of_node(shape, options)},
              mix_.distribution, options.zipf_coefficient, options.local_percent) {
  const bool inserts = mix_.of(Operation::kInsert) > 0;
  schema_.push_back(
      {.name = "records",
       .payload_bytes = format_.bytes(),
       .initial_records = choice_.space.records_per_node,
       .insert_capacity = inserts ? options.new_records_per_worker * shape.workers : 0,
       .capacity_setting = "workload.new_records_per_worker",
       .load = [format = format_](
                   txn::PartitionId partition, txn::Key key,
                   std::span<std::byte> payload) { format.write(partition, key, payload); },
       .key_levels = {{choice_.space.records_per_node, choice_.space.shift()}},
       .ordered = mix_.of(Operation::kScan) > 0});
}

std::span<const std::string> Ycsb::kinds() const { return kKindNames; }

txn::TransactionLimits Ycsb::limits() const {
  const std::uint32_t scanned = mix_.of(Operation::kScan) > 0 ? max_scan_length_ : 0;
  txn::TransactionLimits limits =
      txn::TransactionLimits::any_of(schema_, std::max(1U, keys_per_transaction_));
  limits.record_bytes = limits.record_bytes / limits.records;
  limits.records = std::max(limits.records, scanned);
  limits.record_bytes *= limits.records;
  limits.scanned = scanned;
  return limits;
}

std::unique_ptr<WorkloadClient> Ycsb::make_client(const ClientPlace& place, Random random) const {
  return std::make_unique<ycsb::Client>(*this, KeyChooser(choice_, place), random);
}

// A read of a record makes its update one of what was read (Client::share_intent).
bool Ycsb::only_replaces() const {
  const bool changes = !replaces_ && mix_.of(Operation::kUpdate) > 0;
  return !changes && mix_.of(Operation::kReadModifyWrite) == 0 && keys_per_transaction_ <= 1;
}

std::int64_t Ycsb::amount(txn::TableId, std::span<const std::byte> payload) const {
  if (replaces_) return 0;
  return static_cast<std::int64_t>(ycsb::RecordFormat::changes(payload));
}

std::vector<std::string> Ycsb::inconsistencies(txn::PartitionId partition,
                                               txn::StateAtRest& state) const {
  std::vector<std::string> faults = read_faults_.take();
  const std::size_t most = faults.size() + kMostFaults;
  state.visit_changed(kRecords, partition,
                      [&](txn::Key key, bool present, std::span<const std::byte> payload) {
                        if (!present || faults.size() == most) return;
                        const std::string fault = this->fault({partition, key}, payload);
                        if (!fault.empty())
                          faults.push_back("record " + std::to_string(key) + ": " + fault);
                      });
  return faults;
}

std::string Ycsb::fault(const ycsb::Place& place, std::span<const std::byte> payload) const {
  const std::uint64_t uncounted = KeyChooser::is_inserted(place.key) ? 1 : 0;
  return format_.fault(place.partition, place.key, uncounted, payload);
}

void Ycsb::report_read(const ycsb::Place& place, const std::string& fault) const {
  read_faults_.add("record " + std::to_string(place.key) + " of partition " +
                   std::to_string(place.partition) + " was read wrongly: " + fault);
}

}  // namespace verbena::workloads
