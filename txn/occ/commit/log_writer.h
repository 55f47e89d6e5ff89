// The logging phase: a record of the updates at every backup of every written partition (DrTM+H
// paper, section 5.4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "txn/log/log_record.h"
#include "txn/occ/attempt/attempt.h"
#include "txn/occ/log/log_space.h"
#include "txn/occ/node/messages.h"

namespace verbena::txn::occ {

/// Composes an attempt's log records and puts them into the rings of the backups of all partitions
/// that it writes, by the plan also of the coordinator's own. Once all are there the transaction
/// has committed. Belongs to the transaction's fiber.
class LogWriter {
 public:
  /// Both must outlive it.
  LogWriter(Attempt& attempt, LogSpace& space) : attempt_(attempt), space_(space) {}

  /// Waits for space, writes one record per backup, and returns when all are acknowledged.
  void write();

  /// The transaction is decided. Where the plan wants that, sends the updates of each record to its
  /// backup again, passively or not as the commit phase is; then without waiting, which is for
  /// await_applied.
  void send_again();
  void await_applied();

  /// The transaction is decided: its records may be applied, and their space reused.
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
  std::span<const std::byte> whole_;  // the record that all backups get, but for its position
  // To send one record again: its updates, how many of them are sent with and before each message,
  // a message.
  std::vector<const Access*> updates_;
  std::vector<std::size_t> ends_;
  std::vector<std::byte> message_;
};

}  // namespace verbena::txn::occ
