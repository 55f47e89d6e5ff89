// The journal of a fiber.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/nam/journal_entry.h"
#include "txn/nam/journal_layout.h"

namespace verbena::txn::nam {

/// Before a transaction installs, it WRITEs what it will install, and the snapshot that it went by,
/// into a ring at several memory servers, and waits for all of these (NAM-DB paper, section 6.2).
/// From then on it commits, even if its server dies: others find the entry and finish the
/// transaction (Recovery). They need the entry of the commit behind the last that was published, so
/// an entry may overwrite any older one: who writes it has published these. A ring goes around;
/// each lap begins with an entry that tells its snapshot from nothing, as every kWholeEvery-th
/// does. Snapshots are what it takes to replay all journals behind a checkpoint, in an order that
/// respects them; Recovery does without. Belongs to its fiber.
class Journal {
 public:
  static constexpr std::uint32_t kWholeEvery = 16;

  Journal(rdma::Worker& worker, const Layout& layout, const JournalLayout& journals,
          const TransactionLimits& limits, std::uint32_t slot);

  static std::size_t scratch_bytes(const Layout& layout, const TransactionLimits& limits);

  struct Change {
    JournalRecord record;
    std::span<const std::byte> payload;
  };
  /// Writes an entry down and waits until all copies are there.
  void write(const Stamp& stamp, std::uint64_t owner, std::span<const std::uint32_t> snapshot,
             std::span<const Change> changes);

 private:
  rdma::Worker& worker_;
  const JournalLayout& journals_;
  const std::uint32_t slot_;
  std::span<std::byte> entry_;
  rdma::RequestBatch batch_;
  JournalHead head_;
  std::uint32_t next_ = JournalLayout::kHeadBytes;  // in the ring
  std::uint32_t written_ = 0;                       // entries
  std::vector<std::uint32_t> before_;               // the snapshot of the latest entry
};

}  // namespace verbena::txn::nam
