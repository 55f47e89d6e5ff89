// The journal of a fiber.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/nam/durability/journal_entry.h"
#include "txn/nam/durability/journal_layout.h"

namespace verbena::txn::nam {

/// Before a transaction installs, it WRITEs what it will install, and the snapshot that it went by,
/// into a ring at several memory servers, and waits for all of these (NAM-DB paper, section 6.2).
/// From then on it commits, even if its server dies: others find the entry and finish the
/// transaction (Recovery). They need the entry of the commit behind the last that was published, so
/// an entry may overwrite any older one: who writes it has published these. Where there are
/// checkpoints, those of all servers have to hold what is overwritten, for which it waits. A ring
/// goes around; each lap begins with an entry that tells its snapshot from nothing, as every
/// kWholeEvery-th does. Belongs to its fiber.
class Journal {
 public:
  static constexpr std::uint32_t kWholeEvery = 16;

  Journal(rdma::Worker& worker, const Layout& layout, const JournalLayout& journals,
          const TransactionLimits& limits, std::uint32_t slot);

  static std::size_t scratch_bytes(const Layout& layout, const TransactionLimits& limits,
                                   bool checkpoints);

  struct Change {
    JournalRecord record;
    std::span<const std::byte> payload;
  };
  /// Writes an entry down and waits until all copies are there.
  void write(const Stamp& stamp, std::uint64_t owner, std::span<const std::uint32_t> snapshot,
             std::span<const Change> changes);

 private:
  struct Written {
    std::uint32_t begin;  // in the ring
    std::uint32_t end;
    std::uint32_t count;  // of the commit
  };

  void make_room(std::uint32_t bytes);
  void read_told();

  rdma::Worker& worker_;
  const JournalLayout& journals_;
  const std::uint32_t slot_;
  std::span<std::byte> told_;    // what each server's checkpoint holds, a word each
  std::uint32_t held_ = 0;       // commits that all of them do
  std::deque<Written> in_ring_;  // entries, where there are checkpoints
  std::span<std::byte> entry_;
  rdma::RequestBatch batch_;
  JournalHead head_;
  std::uint32_t next_ = JournalLayout::kHeadBytes;  // in the ring
  std::uint32_t written_ = 0;                       // entries
  std::vector<std::uint32_t> before_;               // the snapshot of the latest entry
};

}  // namespace verbena::txn::nam
