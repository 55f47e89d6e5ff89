// Records as backups get them, of transactions of any node.
#include "txn/occ/log/past_logs.h"

#include <algorithm>
#include <cassert>

namespace verbena::txn::occ {
namespace {

// A table that has initial records, with payloads as long as that one's or nearly so.
const TableDefinition* loaded_table_like(const Schema& schema, const TableDefinition& table) {
  if (table.initial_records > 0) return &table;
  const auto distance = [&](const TableDefinition& other) {
    return std::max(other.payload_bytes, table.payload_bytes) -
           std::min(other.payload_bytes, table.payload_bytes);
  };
  const TableDefinition* nearest = nullptr;
  for (const TableDefinition& other : schema) {
    if (other.initial_records == 0) continue;
    if (nearest == nullptr || distance(other) < distance(*nearest)) nearest = &other;
  }
  return nearest;
}

}  // namespace

PastLogs::PastLogs(const Schema& schema, const StoreLayout& layout, const LogLayout& rings,
                   const PastWrites& past, const Rules& rules)
    : schema_(schema),
      placement_(layout.placement()),
      rings_(rings),
      seed_(past.seed),
      reclaimed_bytes_(rules.reclaimed_bytes) {
  for (const auto& written : past.transactions) add_records(written, past.home, rules);
  records_.shrink_to_fit();
  partitions_behind_.shrink_to_fit();
  updates_.shrink_to_fit();
}

// As LogWriter::choose_slots.
void PastLogs::add_records(const std::vector<RecordName>& written, PartitionId home,
                           const Rules& rules) {
  std::vector<NodeId> backups;
  const auto add_backups = [&](PartitionId partition) {
    for (CopyId copy = 1; copy < placement_.replicas; ++copy) {
      const NodeId backup = placement_.holder(partition, copy);
      if (std::ranges::find(backups, backup) == backups.end()) backups.push_back(backup);
    }
  };
  for (const RecordName& name : written) add_backups(name.partition);
  if (rules.log_own_backups) add_backups(home);
  for (const NodeId backup : backups) add_record(backup, written, rules);
}

void PastLogs::add_record(NodeId backup, const std::vector<RecordName>& written,
                          const Rules& rules) {
  Record record{.first_partition = static_cast<std::uint32_t>(partitions_behind_.size()),
                .last_partition = 0,
                .first_update = static_cast<std::uint32_t>(updates_.size()),
                .last_update = 0};
  for (const RecordName& name : written) {
    const auto behind = static_cast<std::uint16_t>(placement_.copy_on(backup, name.partition));
    const auto first = partitions_behind_.begin() + record.first_partition;
    if (std::find(first, partitions_behind_.end(), behind) == partitions_behind_.end()) {
      partitions_behind_.push_back(behind);
    }
    if (!rules.whole_log && !placement_.backs_up(backup, name.partition)) continue;
    if (add_update(name, behind)) continue;
    partitions_behind_.resize(record.first_partition);
    updates_.resize(record.first_update);
    return;
  }
  record.last_partition = static_cast<std::uint32_t>(partitions_behind_.size());
  record.last_update = static_cast<std::uint32_t>(updates_.size());
  record.bytes = log_frame_bytes(record.last_partition - record.first_partition);
  for (const Update& update : updates(record)) {
    record.bytes += log_update_bytes(schema_[update.table].payload_bytes);
  }
  records_.push_back(record);
}

// Adds a record that is loaded, also in place of one that is not. False if none is.
bool PastLogs::add_update(const RecordName& name, std::uint16_t behind) {
  const TableDefinition* table = loaded_table_like(schema_, schema_[name.table]);
  if (table == nullptr) return false;
  const auto index = table->initial_index(name.key);
  const std::uint64_t entry = index ? *index : mix64(name.key) % table->initial_records;
  updates_.push_back({.table = static_cast<TableId>(table - schema_.data()),
                      .behind = behind,
                      .entry = static_cast<std::uint32_t>(entry),
                      .key = table->initial_key(entry)});
  return true;
}

std::uint64_t PastLogs::seed_of(NodeId source, WorkerId worker, NodeId backup) const {
  const std::uint64_t ring = rings_.ring_offset(source, worker) / rings_.ring_bytes;
  return mix64(seed_ ^ (ring * rings_.nodes + backup));
}

const PastLogs::Record& PastLogs::draw(SplitMix& random) const {
  return records_[random.below(records_.size())];
}

// Any number of the records that make a call, but not all.
std::size_t PastLogs::held(std::uint64_t seed) const {
  if (records_.empty()) return 0;
  SplitMix random(seed);
  std::uint64_t records = 0;
  for (std::uint64_t bytes = 0; bytes < reclaimed_bytes_; ++records) bytes += draw(random).bytes;
  return SplitMix(~seed).below(records);
}

std::uint64_t PastLogs::bytes(NodeId source, WorkerId worker, NodeId backup) const {
  const std::uint64_t seed = seed_of(source, worker, backup);
  SplitMix random(seed);
  std::uint64_t bytes = 0;
  for (std::size_t left = held(seed); left > 0; --left) bytes += draw(random).bytes;
  return bytes;
}

std::uint64_t PastLogs::visit(NodeId source, WorkerId worker, NodeId backup,
                              const Visit& visit) const {
  const std::uint64_t seed = seed_of(source, worker, backup);
  SplitMix random(seed);
  std::uint64_t position = 0;
  std::vector<std::byte> memory;
  for (std::size_t left = held(seed); left > 0; --left) {
    const std::uint32_t bytes = compose(draw(random), backup, position, memory);
    const auto record = LogRecordReader::parse(memory, position);
    assert(record);
    visit(*record);
    position += bytes;
  }
  return position;
}

std::uint32_t PastLogs::compose(const Record& record, NodeId backup, std::uint64_t position,
                                std::vector<std::byte>& memory) const {
  std::vector<PartitionId> partitions;
  partitions.reserve(partitions_behind(record).size());
  for (const std::uint16_t behind : partitions_behind(record)) {
    partitions.push_back(partition(backup, behind));
  }
  memory.resize(record.bytes);
  // No fiber's transaction has this number.
  LogRecordWriter writer(memory.data(), position, 0, 0, partitions);
  std::vector<std::byte> payload;
  for (const Update& update : updates(record)) {
    const TableDefinition& table = schema_[update.table];
    const PartitionId of = partition(backup, update.behind);
    payload.assign(table.payload_bytes, std::byte{0});
    if (table.load) table.load(of, update.key, payload);
    writer.add({.key = update.key,
                .version = kInitialVersion,
                .entry = update.entry,
                .partition = of,
                .table = update.table,
                .reserved = 0},
               payload);
  }
  return writer.finish();
}

PartitionId PastLogs::partition(NodeId backup, std::uint32_t behind) const {
  const std::uint32_t node = backup;
  return static_cast<PartitionId>(node >= behind ? node - behind
                                                 : node + placement_.nodes - behind);
}

}  // namespace verbena::txn::occ
