// Sums over the parts of records, log records and messages.
#include "txn/occ/node/node_sizes.h"

#include <algorithm>

#include "rdma/rpc/transport/rpc_message.h"
#include "txn/index/bucket.h"
#include "txn/log/log_ring.h"
#include "txn/occ/node/messages.h"

namespace verbena::txn::occ {
namespace {

std::uint32_t largest_payload(const Schema& schema) {
  std::uint32_t largest = 0;
  for (const TableDefinition& table : schema) largest = std::max(largest, table.payload_bytes);
  return largest;
}

std::uint32_t longest_log_record(const TransactionLimits& limits, std::uint32_t nodes) {
  return log_frame_bytes(std::min(limits.written, nodes)) + limits.written_bytes +
         limits.written * log_update_bytes(0);
}

// An upper bound for the images and payloads of the records of one transaction, and what goes with
// them.
std::size_t record_memory(const NodeOptions& options) {
  const TransactionLimits& limits = options.limits;
  // Two headers, a bucket, alignment.
  const std::size_t each = kLineBytes + 16 + Bucket::kBytes + 3 * kLineBytes;
  const std::size_t images = std::size_t{limits.record_bytes} * kLineBytes / (kLineBytes - 8);
  return limits.records * each + images + limits.record_bytes;
}

}  // namespace

std::uint64_t log_ring_bytes(const TransactionLimits& limits, std::uint32_t nodes) {
  constexpr std::uint64_t kUsual = 16 << 10;
  return std::max(kUsual, 4 * std::uint64_t{longest_log_record(limits, nodes)} / 64 * 64 + 64);
}

std::uint64_t least_log_ring_bytes(const TransactionLimits& limits, std::uint32_t nodes) {
  return (2 * std::uint64_t{longest_log_record(limits, nodes)} + 63) / 64 * 64;
}

std::size_t arena_bytes(const NodeOptions& options, std::uint32_t nodes) {
  const TransactionLimits& limits = options.limits;
  const std::uint32_t copies = options.replicas - 1;
  const std::uint32_t logged = limits.written + (options.plan.log_own_backups ? 1 : 0);
  const std::size_t logs = std::min<std::size_t>(nodes, std::size_t{logged} * copies);
  const std::uint32_t frame = log_frame_bytes(std::min(limits.written, nodes));
  // Composed for each backup, or once and a header for each; and the begin of a padding.
  const bool whole = options.plan.whole_log;
  const std::size_t log_bytes =
      (whole ? frame + logs * sizeof(LogHeader) : logs * frame) + logs * sizeof(std::uint64_t) +
      (whole ? 1 : copies) * (limits.written * log_update_bytes(0) + limits.written_bytes);
  return (record_memory(options) + log_bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

std::size_t scratch_bytes(const NodeOptions& options, std::uint32_t nodes) {
  return (arena_bytes(options, nodes) + kLineBytes) * options.fibers;
}

// Every phase may tell of a record, validation of one that was absent; who inserts asks the owner,
// which may have the record.
std::uint32_t largest_payload_in_messages(Schema schema, const Plan& plan) {
  const auto sends = [](const PhasePlan& phase) { return phase.primitive != Primitive::kOneSided; };
  const bool any = sends(plan.execute) || sends(plan.read) || sends(plan.validate) ||
                   sends(plan.read_validate) || sends(plan.commit) || plan.log_again;
  if (!any) std::erase_if(schema, [](const auto& table) { return table.insert_capacity == 0; });
  return schema.empty() ? 0 : largest_payload(schema);
}

std::uint32_t message_bytes(const Schema& schema, const NodeOptions& options, std::uint32_t nodes) {
  const TransactionLimits& limits = options.limits;
  const auto update = static_cast<std::uint32_t>(sizeof(RecordUpdate));
  const auto group = static_cast<std::uint32_t>(sizeof(GroupHeader)) + limits.written * update +
                     limits.written_bytes;
  const auto check = static_cast<std::uint32_t>(sizeof(GroupHeader)) +
                     limits.records * static_cast<std::uint32_t>(sizeof(RecordCheck));
  const auto log = static_cast<std::uint32_t>(sizeof(LogPiece)) + longest_log_record(limits, nodes);
  const auto read =
      static_cast<std::uint32_t>(sizeof(ReadReply)) + padded_to_words(largest_payload(schema));
  const auto scan = static_cast<std::uint32_t>(sizeof(ScanReply) + limits.scanned * sizeof(Key));
  return static_cast<std::uint32_t>(sizeof(rdma::MessageHeader)) +
         std::max({group, check, log, read, scan});
}

}  // namespace verbena::txn::occ
