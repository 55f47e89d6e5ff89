// Completion of a dead compute server's transactions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/nam/durability/journal_entry.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/nam/messages.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Recovers a dead compute server at another one, in this order (NAM-DB paper, section 6.2):
///
/// - Fences the dead server at all nodes. None of its requests takes effect afterwards, and no
///   claim of a key is under way.
/// - For each slot of the dead server, READs the number of published commits and the copies of the
///   journal. If one of the copies holds the next transaction's entry whole, the transaction may be
///   partly installed, and its client told. Then the entry is written to all copies and awaited;
///   only then are its missing versions installed and the commit published. If no copy holds the
///   entry, nothing of the transaction was installed.
/// - Releases the remaining locks, which are of transactions without an entry: memory servers look
///   for them on touched pages, unlock the records as they were, and give back claimed keys.
///
/// So the promise of Journal holds even if a server dies while it writes an entry: all that has
/// been installed, even in part, is in all copies, and a memory server may be lost next. All copies
/// have the same offsets, so the entry takes in each the place that its writer had made room for.
/// Its link to the previous entry holds, for that one was in all copies before; nobody else writes
/// into this ring. A copy may hold the entry torn, or whole behind a head that names the previous
/// one: both are overwritten.
///
/// Other transactions go on meanwhile, except writers of locked records. Repeating all or part of a
/// recovery does no harm, but two must not run at the same time: a server that takes over from one
/// that died fences that one first (Heartbeat). Belongs to its fiber.
class Recovery {
 public:
  Recovery(rdma::Worker& worker, const Layout& layout, const JournalLayout& journals,
           const TransactionLimits& limits);

  /// `copies`: the number of copies of each journal.
  static std::size_t scratch_bytes(const Layout& layout, const TransactionLimits& limits,
                                   std::uint32_t copies);

  /// Recovers a dead server. Throws PeerMissing when a server that is needed does not answer.
  void run(NodeId dead);

 private:
  void fence(NodeId dead);
  void finish_slot(std::uint32_t slot, std::uint32_t published);
  struct Found {
    std::uint32_t copy;  // in which the entry was read
    JournalHead head;
    JournalEntry entry;  // in entry_
  };

  void read_heads(std::uint32_t slot);
  JournalHead head_of(std::uint32_t copy) const;
  std::optional<Found> find(const Stamp& stamp);
  void complete_copies(const Found& found);
  void roll_forward(const JournalEntry& entry);
  void install(const JournalEntry::Record& one, std::uint64_t version);
  void release(std::uint32_t first_slot, std::uint32_t last_slot);
  void release(PartitionId partition, TableId table, std::uint32_t first_slot,
               std::uint32_t last_slot);

  rdma::Worker& worker_;
  const Layout& layout_;
  const JournalLayout& journals_;
  rdma::RequestBatch batch_;
  rdma::RpcBatch calls_;
  std::span<std::byte> vector_;
  std::span<std::byte> heads_;  // a line for each copy
  std::span<std::byte> entry_;
  std::span<std::byte> current_;  // an image
  std::span<std::byte> next_;     // an image, too
};

}  // namespace verbena::txn::nam
