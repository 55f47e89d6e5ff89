// The stress workload's tables, and what is checked of them.
#include "workloads/stress/stress.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "rdma/base/errors.h"
#include "txn/state_at_rest.h"
#include "workloads/stress/client.h"
#include "workloads/stress/input.h"
#include "workloads/stress/record.h"

namespace verbena::workloads {
namespace {

const std::array<std::string, static_cast<std::size_t>(stress::Kind::kCount)> kKindNames = {
    "read", "scan", "write", "scan_and_write"};

// More would tell no more about what went wrong.
constexpr std::size_t kMostFaults = 10;

// Every second key exists at first; of those in whole groups, if there are any.
std::vector<txn::KeyLevel> key_levels(const StressOptions& options) {
  const std::uint32_t group = options.group_keys;
  if (group == 0 || options.keys_per_node < 2 * group) {
    return {{(options.keys_per_node + std::uint64_t{1}) / 2, 1}};
  }
  return {{options.keys_per_node / group, static_cast<unsigned>(std::countr_zero(group))},
          {group / 2, 1}};
}

}  // namespace

Stress::Stress(const ClusterSize& size, const StressOptions& options)
    : options_(options), partitions_(size.partitions) {
  if (!options_.scan_percent) {
    options_.scan_percent = size.scans ? StressOptions::kUsualScanPercent : 0;
  }
  const auto refuse = [](const std::string& what) { throw ConfigurationError("stress: " + what); };
  if (options.hot_keys > options.keys_per_node) {
    refuse("hot_keys " + std::to_string(options.hot_keys) +
           "; allowed are at most keys_per_node, " + std::to_string(options.keys_per_node));
  }
  if (options.group_keys != 0 &&
      (options.group_keys < 4 || !std::has_single_bit(options.group_keys))) {
    refuse("group_keys " + std::to_string(options.group_keys) +
           "; allowed are 0 and powers of two from 4 on");
  }
  const std::uint32_t together = options.update_percent + options.insert_percent +
                                 options.erase_percent + options.leave_percent;
  if (together > 100) {
    refuse("update_percent, insert_percent, erase_percent and leave_percent are " +
           std::to_string(together) + " together; allowed are at most 100");
  }
  for (const txn::TableId table : {stress::kShort, stress::kLong}) {
    const std::vector<txn::KeyLevel> levels = key_levels(options);
    std::uint64_t initial = 1;
    for (const txn::KeyLevel& level : levels) initial *= level.count;
    schema_.push_back(
        {.name = table == stress::kShort ? "short" : "long",
         .payload_bytes = table == stress::kShort ? options.short_bytes : options.long_bytes,
         .initial_records = initial,
         .insert_capacity = options.new_records,
         .capacity_setting = "workload.new_records",
         .load =
             [table](txn::PartitionId partition, txn::Key key, std::span<std::byte> payload) {
               const txn::RecordName name{table, partition, key};
               stress::write_content(name, stress::initial_stamp(name), payload);
             },
         .key_levels = levels,
         .ordered = table == stress::kLong,
         .erased = options.erase_percent > 0});
  }
}

std::span<const std::string> Stress::kinds() const { return kKindNames; }

txn::TransactionLimits Stress::limits() const {
  const std::uint32_t scanned = options_.scan_percent.value() > 0 ? options_.scan_length : 0;
  txn::TransactionLimits limits =
      txn::TransactionLimits::any_of(schema_, options_.records + scanned);
  limits.scanned = scanned;
  return limits;
}

std::unique_ptr<WorkloadClient> Stress::make_client(const ClientPlace& place, Random random) const {
  return std::make_unique<stress::Client>(*this, place, random);
}

std::string Stress::text_of(const txn::RecordName& name) const {
  return "record " + std::to_string(name.key) + " of " + schema_[name.table].name + ", partition " +
         std::to_string(name.partition) + ",";
}

std::vector<std::string> Stress::inconsistencies(txn::PartitionId partition,
                                                 txn::StateAtRest& state) const {
  std::vector<std::string> faults = read_faults_.take();
  const std::size_t most = faults.size() + kMostFaults;
  for (const txn::TableId table : {stress::kShort, stress::kLong}) {
    state.visit_changed(table, partition,
                        [&](txn::Key key, bool present, std::span<const std::byte> payload) {
                          if (!present || faults.size() == most) return;
                          const txn::RecordName name{table, partition, key};
                          const std::string fault = stress::content_fault(name, payload);
                          if (!fault.empty())
                            faults.push_back(text_of(name) + " is wrong: " + fault);
                        });
  }
  return faults;
}

}  // namespace verbena::workloads
