// Logging phase: a log record at every backup of every written partition (DrTM+H paper, section
// 5.4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "txn/log/log_record.h"
#include "txn/occ/attempt/attempt.h"
#include "txn/occ/log/log_space.h"
#include "txn/occ/node/messages.h"

namespace verbena::txn::occ {

/// Writes an attempt's log records into the rings of the backups of all partitions that it writes
/// and, if the plan says so, of the coordinator's own partition. Once all are acknowledged, the
/// transaction has committed. Belongs to the transaction's fiber.
class LogWriter {
 public:
  /// Both arguments must outlive it.
  LogWriter(Attempt& attempt, LogSpace& space) : attempt_(attempt), space_(space) {}

  /// Waits for space, writes one record per backup, and returns when all are acknowledged.
  void write();

  /// Sends the updates of each log record to its backup again, if the plan wants that, once the
  /// transaction is decided; passively or not, as the commit phase. Does not wait for calls;
  /// await_applied() does.
  void send_again();
  void await_applied();

  /// Allows that the decided transaction's log records are applied and their space reused.
  void release() { space_.release(attempt_.fiber()); }

 private:
  void find_written_partitions();
  void choose_slots();
  void add_to_slot(NodeId backup, std::uint32_t frame_bytes, std::uint32_t update_bytes);
  void write_record(LogSpace::Slot& slot);
  std::span<std::byte> compose_record(const LogSpace::Slot& slot);
  void put_into_ring(NodeId backup, std::uint64_t place, std::span<const std::byte> first,
                     std::span<const std::byte> rest = {});
  bool receives(const LogSpace::Slot& slot, const Access& access) const;
  LogUpdate update_of(const Access& access) const;
  void send_again(const LogSpace::Slot& slot);
  void send_message(const LogSpace::Slot& slot, std::span<const Access* const> updates);
  void add_calls(NodeId backup, std::uint64_t place, std::span<const std::byte> first,
                 std::span<const std::byte> rest);

  Attempt& attempt_;
  LogSpace& space_;
  std::vector<LogSpace::Slot> slots_;
  std::vector<PartitionId> written_partitions_;
  std::span<const std::byte> whole_;  // record for all backups, without its position
  // State to send one record again: its updates, the end of each message's updates, one message.
  std::vector<const Access*> updates_;
  std::vector<std::size_t> ends_;
  std::vector<std::byte> message_;
};

}  // namespace verbena::txn::occ
