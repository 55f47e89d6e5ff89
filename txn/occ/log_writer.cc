// Composing log records, and putting them into rings.
#include "txn/occ/log_writer.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "txn/log/log_record.h"
#include "txn/message_io.h"
#include "txn/occ/messages.h"

namespace verbena::txn::occ {
namespace {

using rdma::Work;

std::uint32_t lines_of(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + kLineBytes - 1) / kLineBytes);
}

}  // namespace

void LogWriter::write() {
  find_written_partitions();
  choose_slots();
  if (slots_.empty()) return;
  space_.reserve(attempt_.fiber(), slots_);
  const PhasePlan& phase = attempt_.plan().log;
  for (LogSpace::Slot& slot : slots_) {
    write_record(slot);
    if (!phase.outstanding) attempt_.post_and_wait(phase);
  }
  if (phase.outstanding) attempt_.post_and_wait(phase);
  attempt_.calls().clear();
}

void LogWriter::find_written_partitions() {
  written_partitions_.clear();
  for (const Access& access : attempt_.accesses()) {
    if (!access.written()) continue;
    const PartitionId partition = access.name().partition;
    if (std::find(written_partitions_.begin(), written_partitions_.end(), partition) ==
        written_partitions_.end()) {
      written_partitions_.push_back(partition);
    }
  }
}

// Which backups get a record, and how long it is.
void LogWriter::choose_slots() {
  slots_.clear();
  const std::uint32_t frame =
      log_frame_bytes(static_cast<std::uint32_t>(written_partitions_.size()));
  std::uint32_t all_updates = 0;
  const Placement& placement = attempt_.node().layout().placement();
  for (const Access& access : attempt_.accesses()) {
    if (!access.written()) continue;
    const std::uint32_t update = log_update_bytes(access.format().payload_bytes());
    for (CopyId copy = 1; copy < placement.replicas; ++copy) {
      add_to_slot(placement.holder(access.name().partition, copy), frame, update);
    }
    all_updates += update;
  }
  if (attempt_.plan().log_own_backups) {
    const PartitionId own = placement.partition_of(attempt_.node().node(), CopyId{0});
    for (CopyId copy = 1; copy < placement.replicas; ++copy) {
      add_to_slot(placement.holder(own, copy), frame, 0);
    }
  }
  if (!attempt_.plan().whole_log) return;
  for (LogSpace::Slot& slot : slots_) slot.bytes = frame + all_updates;
}

void LogWriter::add_to_slot(NodeId backup, std::uint32_t frame_bytes, std::uint32_t update_bytes) {
  for (LogSpace::Slot& slot : slots_) {
    if (slot.backup != backup) continue;
    slot.bytes += update_bytes;
    return;
  }
  slots_.push_back({.backup = backup, .bytes = frame_bytes + update_bytes});
}

void LogWriter::write_record(LogSpace::Slot& slot) {
  assert(!slot.written);
  slot.written = true;
  const LogRingWriter& ring = space_.ring(slot.backup);
  std::byte* memory = attempt_.arena().allocate(slot.bytes);
  compose_record(slot, memory);
  put_into_ring(slot.backup, ring.place(slot.space.position), {memory, slot.bytes});
  if (slot.space.padding > 0) {
    attempt_.reach("occ: log begins again behind padding");
    std::byte* padding = attempt_.arena().allocate(sizeof(std::uint64_t));
    store_word(padding, log_padding_word(slot.space.padding));
    put_into_ring(slot.backup, ring.place(slot.space.position - slot.space.padding),
                  {padding, sizeof(std::uint64_t)});
  }
}

void LogWriter::compose_record(const LogSpace::Slot& slot, std::byte* memory) {
  LogRecordWriter record(memory, slot.space.position, attempt_.lock_word(), attempt_.sequence(),
                         written_partitions_);
  const Placement& placement = attempt_.node().layout().placement();
  const bool whole = attempt_.plan().whole_log;
  for (const Access& access : attempt_.accesses()) {
    if (!access.written()) continue;
    const RecordName& name = access.name();
    if (!whole && !placement.backs_up(slot.backup, name.partition)) continue;
    record.add({.key = name.key,
                .version = access.new_version(),
                .entry = access.entry(),
                .partition = name.partition,
                .table = name.table,
                .reserved = 0},
               {access.payload(), access.format().payload_bytes()});
  }
  attempt_.core().spend(Work::kCopyLine, lines_of(slot.bytes));
  [[maybe_unused]] const std::uint32_t bytes = record.finish();
  assert(bytes == slot.bytes);
}

// `bytes` stay where they are until the phase is over.
void LogWriter::put_into_ring(NodeId backup, std::uint64_t place,
                              std::span<const std::byte> bytes) {
  TransactionNode& node = attempt_.node();
  const WorkerId worker = attempt_.worker().id();
  if (backup == node.node()) {
    attempt_.core().spend(Work::kCopyLine, lines_of(bytes.size()));
    std::memcpy(node.ring(backup, worker).data() + place, bytes.data(), bytes.size());
  } else if (attempt_.plan().log.primitive == Primitive::kOneSided) {
    const std::uint64_t ring = node.log_layout().ring_offset(node.node(), worker);
    attempt_.requests().write({.node = backup, .region = node.log_region(), .offset = ring + place},
                              bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  } else {
    add_calls(backup, place, bytes);
  }
}

void LogWriter::add_calls(NodeId backup, std::uint64_t place, std::span<const std::byte> bytes) {
  const std::size_t most = attempt_.longest_request() - sizeof(LogPiece);
  if (bytes.size() > most) attempt_.reach("occ: log record is sent in several messages");
  for (std::size_t done = 0; done < bytes.size(); done += most) {
    const auto piece = bytes.subspan(done, std::min(most, bytes.size() - done));
    const auto message =
        attempt_.calls().reserve(backup, Method::kLog, sizeof(LogPiece) + piece.size());
    MessageWriter(message).put(LogPiece{.place = place + done});
    std::memcpy(message.data() + sizeof(LogPiece), piece.data(), piece.size());
  }
}

}  // namespace verbena::txn::occ
