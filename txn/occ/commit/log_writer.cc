// Composing log records, and putting them into rings.
#include "txn/occ/commit/log_writer.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>

#include "rdma/base/message_io.h"
#include "txn/log/log_record.h"
#include "txn/occ/node/messages.h"

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
  if (attempt_.plan().whole_log) whole_ = compose_record(slots_.front());
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

// Chooses the backups that get a record, and its length at each.
void LogWriter::choose_slots() {
  slots_.clear();
  const std::uint32_t frame =
      log_frame_bytes(static_cast<std::uint32_t>(written_partitions_.size()));
  std::uint32_t all_updates = 0;
  const Placement& placement = attempt_.node().layout().placement();
  for (const Access& access : attempt_.accesses()) {
    if (!access.written()) continue;
    const std::uint32_t update = log_update_bytes(access.table().format.payload_bytes());
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
  const LogRingWriter ring = space_.ring(slot.backup);
  if (attempt_.plan().whole_log) {
    std::byte* header = attempt_.arena().allocate(sizeof(LogHeader));
    std::memcpy(header, whole_.data(), sizeof(LogHeader));
    store_word(header + offsetof(LogHeader, position), slot.space.position);
    attempt_.core().spend(Work::kCopyLine);
    put_into_ring(slot.backup, ring.place(slot.space.position), {header, sizeof(LogHeader)},
                  whole_.subspan(sizeof(LogHeader)));
  } else {
    put_into_ring(slot.backup, ring.place(slot.space.position), compose_record(slot));
  }
  if (slot.space.padding > 0) {
    attempt_.reach("occ: log begins again behind padding");
    std::byte* padding = attempt_.arena().allocate(sizeof(std::uint64_t));
    store_word(padding, log_padding_word(slot.space.padding));
    put_into_ring(slot.backup, ring.place(slot.space.position - slot.space.padding),
                  {padding, sizeof(std::uint64_t)});
  }
}

std::span<std::byte> LogWriter::compose_record(const LogSpace::Slot& slot) {
  std::byte* memory = attempt_.arena().allocate(slot.bytes);
  LogRecordWriter record(memory, slot.space.position, attempt_.lock_word(), attempt_.sequence(),
                         written_partitions_);
  for (const Access& access : attempt_.accesses()) {
    if (!receives(slot, access)) continue;
    record.add(update_of(access), {access.payload(), access.table().format.payload_bytes()});
  }
  attempt_.core().spend(Work::kCopyLine, lines_of(slot.bytes));
  [[maybe_unused]] const std::uint32_t bytes = record.finish();
  assert(bytes == slot.bytes);
  return {memory, slot.bytes};
}

// True if the record of that backup tells of it.
bool LogWriter::receives(const LogSpace::Slot& slot, const Access& access) const {
  if (!access.written()) return false;
  const Placement& placement = attempt_.node().layout().placement();
  return attempt_.plan().whole_log || placement.backs_up(slot.backup, access.name().partition);
}

LogUpdate LogWriter::update_of(const Access& access) const {
  const RecordName& name = access.name();
  return {.key = name.key,
          .version = access.new_version(),
          .entry = access.entry(),
          .partition = name.partition,
          .table = name.table,
          .reserved = 0};
}

// Both stay where they are until the phase is over.
void LogWriter::put_into_ring(NodeId backup, std::uint64_t place, std::span<const std::byte> first,
                              std::span<const std::byte> rest) {
  NodeState& node = attempt_.node();
  const WorkerId worker = attempt_.worker().id();
  if (backup == node.node()) {
    attempt_.core().spend(Work::kCopyLine, lines_of(first.size() + rest.size()));
    const LogRingMemory ring = node.ring(backup, worker);
    ring.write(place, first);
    ring.write(place + first.size(), rest);
  } else if (attempt_.plan().log.primitive == Primitive::kOneSided) {
    const std::uint64_t ring = node.log_layout().ring_offset(node.node(), worker);
    const RemoteAddress to{.node = backup, .region = node.log_region(), .offset = ring + place};
    if (rest.empty()) {
      attempt_.requests().write(to, first.data(), static_cast<std::uint32_t>(first.size()));
    } else {
      attempt_.requests().write(to, first, rest);
    }
  } else {
    add_calls(backup, place, first, rest);
  }
}

void LogWriter::add_calls(NodeId backup, std::uint64_t place, std::span<const std::byte> first,
                          std::span<const std::byte> rest) {
  const std::size_t most = attempt_.longest_request() - sizeof(LogPiece);
  const std::size_t bytes = first.size() + rest.size();
  if (bytes > most) attempt_.reach("occ: log record is sent in several messages");
  for (std::size_t done = 0; done < bytes; done += most) {
    const std::size_t piece = std::min(most, bytes - done);
    const auto message = attempt_.calls().reserve(backup, Method::kLog, sizeof(LogPiece) + piece);
    MessageWriter(message).put(LogPiece{.place = place + done});
    const auto of_first = first.subspan(std::min(done, first.size()));
    const std::size_t head = std::min(piece, of_first.size());
    const auto body = message.subspan(sizeof(LogPiece));
    std::memcpy(body.data(), of_first.data(), head);
    if (piece == head) continue;
    std::memcpy(body.data() + head, rest.data() + (done + head - first.size()), piece - head);
  }
}

void LogWriter::send_again() {
  if (!attempt_.plan().log_again) return;
  for (const LogSpace::Slot& slot : slots_) send_again(slot);
  if (attempt_.calls().size() > 0) attempt_.calls().post(Attempt::doorbell(attempt_.plan().commit));
}

void LogWriter::await_applied() {
  if (attempt_.calls().size() == 0) return;
  attempt_.calls().wait();
  attempt_.calls().clear();
}

// In as few messages as the longest request lets.
void LogWriter::send_again(const LogSpace::Slot& slot) {
  const std::size_t most = attempt_.longest_request() - sizeof(ApplyHeader);
  updates_.clear();
  ends_.clear();
  std::size_t bytes = 0;
  for (const Access& access : attempt_.accesses()) {
    if (!receives(slot, access)) continue;
    const std::size_t update = log_update_bytes(access.table().format.payload_bytes());
    if (bytes + update > most) {
      attempt_.reach("occ: log record is sent again in several messages");
      ends_.push_back(updates_.size());
      bytes = 0;
    }
    bytes += update;
    updates_.push_back(&access);
  }
  ends_.push_back(updates_.size());
  std::size_t first = 0;
  for (const std::size_t end : ends_) {
    send_message(slot, std::span(updates_).subspan(first, end - first));
    first = end;
  }
}

void LogWriter::send_message(const LogSpace::Slot& slot, std::span<const Access* const> updates) {
  std::size_t bytes = sizeof(ApplyHeader);
  for (const Access* access : updates)
    bytes += log_update_bytes(access->table().format.payload_bytes());
  message_.resize(bytes);
  MessageWriter message(message_);
  message.put(ApplyHeader{.begin = slot.space.position - slot.space.padding,
                          .bytes = slot.space.padding + slot.space.bytes,
                          .updates = static_cast<std::uint16_t>(updates.size()),
                          .messages = static_cast<std::uint16_t>(ends_.size())});
  for (const Access* access : updates) {
    message.put(update_of(*access));
    message.put_padded({access->payload(), access->table().format.payload_bytes()});
  }
  const PhasePlan& phase = attempt_.plan().commit;
  if (phase.passive) {
    attempt_.worker().rpc().notify(slot.backup, Method::kApply, message_, Attempt::doorbell(phase));
  } else {
    attempt_.calls().add(slot.backup, Method::kApply, message_);
  }
}

}  // namespace verbena::txn::occ
