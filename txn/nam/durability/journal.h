// Journal of a fiber.
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

/// Writes down what a transaction will install before it installs (NAM-DB paper, section 6.2). The
/// entry holds the new versions and the snapshot; WRITEs put it into a ring at several memory
/// servers, and all copies are awaited. From then on the transaction commits even if its server
/// dies: other servers find the entry and finish it (Recovery).
///
/// Recovery needs only the entry behind the last published commit, so a new entry may overwrite any
/// older one: the writer has published those. With checkpoints, the writer first waits until the
/// checkpoints of all servers hold the commits that it overwrites.
///
/// The first entry of each lap around the ring, and every kWholeEvery-th one, holds a whole
/// snapshot instead of a difference. Belongs to its fiber.
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
  /// Writes an entry and waits until all copies are there.
  void write(const Stamp& stamp, std::uint64_t owner, std::span<const std::uint32_t> snapshot,
             std::span<const Change> changes);

 private:
  struct Written {
    std::uint32_t begin;  // in the ring
    std::uint32_t end;
    std::uint32_t count;  // number of the commit
  };

  void make_room(std::uint32_t bytes);
  void read_told();

  rdma::Worker& worker_;
  const JournalLayout& journals_;
  const std::uint32_t slot_;
  std::span<std::byte> told_;    // commits that each server's checkpoint holds, a word each
  std::uint32_t held_ = 0;       // commits that all checkpoints hold
  std::deque<Written> in_ring_;  // entries, where there are checkpoints
  std::span<std::byte> entry_;
  rdma::RequestBatch batch_;
  JournalHead head_;
  std::uint32_t next_ = JournalLayout::kHeadBytes;  // in the ring
  std::uint32_t written_ = 0;                       // entries so far
  std::vector<std::uint32_t> before_;               // the snapshot of the latest entry
};

}  // namespace verbena::txn::nam
