// The logging phase: a record of the updates at every backup of every written partition (DrTM+H
// paper, section 5.4).
#include <algorithm>
#include <cstring>

#include "txn/occ/message_io.h"
#include "txn/occ/messages.h"
#include "txn/occ/transaction.h"
#include "txn/occ/transaction_node.h"

namespace verbena::txn::occ {

using rdma::Work;

// Which backups get a record, and how long it is.
void Transaction::plan_log_slots() {
  log_slots_.clear();
  written_partitions_.clear();
  for (const Access& access : accesses_) {
    if (!access.item->written) continue;
    const NodeId partition = access.name.partition;
    if (std::find(written_partitions_.begin(), written_partitions_.end(), partition) ==
        written_partitions_.end()) {
      written_partitions_.push_back(partition);
    }
  }
  const std::uint32_t frame =
      log_frame_bytes(static_cast<std::uint32_t>(written_partitions_.size()));
  std::uint32_t all_updates = 0;
  const Placement& placement = node_.layout().placement();
  for (const Access& access : accesses_) {
    if (!access.item->written) continue;
    for (CopyId copy = 1; copy < placement.replicas; ++copy) {
      const NodeId backup = placement.holder(access.name.partition, copy);
      auto slot = std::find_if(log_slots_.begin(), log_slots_.end(),
                               [backup](const auto& known) { return known.backup == backup; });
      if (slot == log_slots_.end()) {
        slot = log_slots_.insert(slot, {.backup = backup, .bytes = frame});
      }
      slot->bytes += log_update_bytes(format(access).payload_bytes());
    }
    all_updates += log_update_bytes(format(access).payload_bytes());
  }
  if (!node_.plan().whole_log) return;
  for (Coordinator::LogSlot& slot : log_slots_) slot.bytes = frame + all_updates;
}

std::uint32_t Transaction::compose_log_record(const Coordinator::LogSlot& slot, std::byte* memory) {
  LogRecordWriter record(memory, slot.space.position, owner_word_, sequence_, written_partitions_);
  const Placement& placement = node_.layout().placement();
  for (const Access& access : accesses_) {
    if (!access.item->written) continue;
    if (!node_.plan().whole_log && !placement.backs_up(slot.backup, access.name.partition)) {
      continue;
    }
    record.add({.key = access.name.key,
                .version = new_version(access),
                .entry = access.entry,
                .partition = access.name.partition,
                .table = access.name.table,
                .reserved = 0},
               {access.item->payload, format(access).payload_bytes()});
  }
  worker_.core().spend(Work::kCopyLine, (slot.bytes + kLineBytes - 1) / kLineBytes);
  return record.finish();
}

void Transaction::write_log_record(const Coordinator::LogSlot& slot) {
  const LogRingWriter& ring = coordinator_.ring(slot.backup);
  std::byte* memory = arena_.allocate(slot.bytes);
  compose_log_record(slot, memory);
  put_into_ring(slot.backup, ring.place(slot.space.position), {memory, slot.bytes});
  if (slot.space.padding > 0) {
    std::byte* padding = arena_.allocate(sizeof(std::uint64_t));
    store_word(padding, log_padding_word(slot.space.padding));
    put_into_ring(slot.backup, ring.place(slot.space.position - slot.space.padding), {padding, 8});
  }
}

// `bytes` stay where they are until the phase is over.
void Transaction::put_into_ring(NodeId backup, std::uint64_t place,
                                std::span<const std::byte> bytes) {
  if (backup == node_.node()) {
    worker_.core().spend(Work::kCopyLine,
                         static_cast<std::uint32_t>((bytes.size() + kLineBytes - 1) / kLineBytes));
    std::memcpy(node_.ring(node_.node(), worker_.id()).data() + place, bytes.data(), bytes.size());
    return;
  }
  if (node_.plan().log.primitive == Primitive::kOneSided) {
    const std::uint64_t ring = node_.log_layout().ring_offset(node_.node(), worker_.id());
    requests_.write({.node = backup, .region = node_.log_region(), .offset = ring + place},
                    bytes.data(), static_cast<std::uint32_t>(bytes.size()));
    return;
  }
  const std::size_t most = worker_.rpc().max_payload() - sizeof(LogPiece);
  for (std::size_t done = 0; done < bytes.size(); done += most) {
    const auto piece = bytes.subspan(done, std::min(most, bytes.size() - done));
    const auto message = calls_.reserve(backup, Method::kLog, sizeof(LogPiece) + piece.size());
    MessageWriter writer(message);
    writer.put(LogPiece{.place = place + done});
    std::memcpy(message.data() + sizeof(LogPiece), piece.data(), piece.size());
  }
}

void Transaction::write_logs() {
  plan_log_slots();
  if (log_slots_.empty()) return;
  coordinator_.reserve_log(fiber_, log_slots_);
  const PhasePlan& phase = node_.plan().log;
  for (const Coordinator::LogSlot& slot : log_slots_) {
    write_log_record(slot);
    if (!phase.outstanding) post_and_wait(phase);
  }
  if (phase.outstanding) post_and_wait(phase);
  calls_.clear();
}

}  // namespace verbena::txn::occ
