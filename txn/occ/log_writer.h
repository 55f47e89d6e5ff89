// The logging phase: a record of the updates at every backup of every written partition (DrTM+H
// paper, section 5.4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "txn/occ/attempt.h"
#include "txn/occ/log_space.h"

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

  /// The transaction is decided: its records may be applied, and their space reused.
  void release() { space_.release(attempt_.fiber()); }

 private:
  void find_written_partitions();
  void choose_slots();
  void add_to_slot(NodeId backup, std::uint32_t frame_bytes, std::uint32_t update_bytes);
  void write_record(LogSpace::Slot& slot);
  void compose_record(const LogSpace::Slot& slot, std::byte* memory);
  void put_into_ring(NodeId backup, std::uint64_t place, std::span<const std::byte> bytes);
  void add_calls(NodeId backup, std::uint64_t place, std::span<const std::byte> bytes);

  Attempt& attempt_;
  LogSpace& space_;
  std::vector<LogSpace::Slot> slots_;
  std::vector<PartitionId> written_partitions_;
};

}  // namespace verbena::txn::occ
