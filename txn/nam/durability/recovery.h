// Finishing what a compute server left behind when it died.
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

/// Work of another compute server for a dead one, in this order (NAM-DB paper, section 6.2):
///
/// - it has all nodes fence the dead one, so that nothing of this takes effect any more that is
///   still on its way, and that no claim of a key is under way;
/// - of each slot of the dead server it READs how many commits are published, and the copies of the
///   journal: the transaction that is the next is in one of them whole, then it has perhaps been
///   installed in parts and told of, so it is written to all copies, waited for, and only then
///   installed where it is not yet, and published; or it is in none, then nothing of it was
///   installed;
/// - locks that are left are of transactions that were not written down: memory servers look for
///   them, on pages that have been touched, and give the records back as they were, keys that were
///   claimed, too.
///
/// So what Journal promises stays true when a server dies while it writes an entry: what has been
/// installed, in parts too, is in all copies, and a memory server may be lost next. Copies agree
/// on where entries lie, so in each the entry takes its writer's place, which had been made room
/// for; its link to the entry before holds, for that one was in all copies before this one was
/// begun; nobody else writes into this ring. A copy may hold the entry torn, or whole with a head
/// that still tells of the one before: both are written over.
///
/// Others go on meanwhile, but for who wants to write what is locked. To do it all, or a part,
/// twice does no harm, if not at the same time: who goes on for another that died in the midst has
/// that one fenced first, see Heartbeat. Belongs to its fiber.
class Recovery {
 public:
  Recovery(rdma::Worker& worker, const Layout& layout, const JournalLayout& journals,
           const TransactionLimits& limits);

  /// `copies` of journals.
  static std::size_t scratch_bytes(const Layout& layout, const TransactionLimits& limits,
                                   std::uint32_t copies);

  /// Throws PeerMissing when a server that is needed does not answer.
  void run(NodeId dead);

 private:
  void fence(NodeId dead);
  void finish_slot(std::uint32_t slot, std::uint32_t published);
  struct Found {
    std::uint32_t copy;  // where it was read
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
  std::span<std::byte> next_;     // likewise
};

}  // namespace verbena::txn::nam
