// Places of the threads' journals.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/types.h"
#include "txn/nam/node_options.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// First line of a ring, which tells where the newest entry is. One WRITE of one line follows the
/// entry on the same queue pair; so the entry that it names is complete.
struct JournalHead {
  std::uint32_t at = 0;     ///< position in the ring
  std::uint32_t bytes = 0;  ///< 0: there is no entry
  Stamp stamp;
};
static_assert(sizeof(JournalHead) == 16);

/// Gives each slot of the vector a ring at several memory servers, one equal copy at each, from
/// server slot % m on (NAM-DB paper, section 6.2). Rings lie in a region that memory servers add
/// after their others.
class JournalLayout {
 public:
  static constexpr std::uint32_t kHeadBytes = 64;

  /// `ring_bytes`: bytes of each ring with its head, a multiple of 64. `checkpoints`: true if
  /// servers tell what their checkpoints hold.
  JournalLayout(const Layout& layout, std::uint32_t copies, std::uint32_t ring_bytes,
                bool checkpoints);

  std::uint32_t copies() const { return copies_; }
  std::uint32_t ring_bytes() const { return ring_bytes_; }

  /// Address of the head of a slot's ring.
  RemoteAddress ring(std::uint32_t slot, std::uint32_t copy) const;

  /// Address of the number of a slot's commits in a server's latest checkpoint: 4 B, behind the
  /// rings.
  RemoteAddress told(NodeId server, std::uint32_t slot) const;

  /// Bytes of each memory server's rings, and of its whole region with the numbers behind them.
  std::uint64_t rings_bytes() const;
  std::uint64_t region_bytes() const;

  const std::vector<NodeId>& servers() const { return servers_; }
  bool checkpoints() const { return checkpoints_; }

 private:
  RemoteAddress at(NodeId server, std::uint64_t offset) const;

  const Layout& layout_;
  const std::uint32_t copies_;
  const std::uint32_t ring_bytes_;
  const bool checkpoints_;
  std::vector<NodeId> servers_;
};

/// Bytes of each ring; throws ConfigurationError when the options ask for less than an entry.
std::uint32_t journal_ring_bytes(const Layout& layout, const TransactionLimits& limits,
                                 const NodeOptions& options);

}  // namespace verbena::txn::nam
