// Where the journals of threads lie.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/types.h"
#include "txn/nam/node_options.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// The line with which a ring begins: where the newest entry is. It is written behind the entry, in
/// one WRITE of one line, by the same queue pair; so what it tells of is there.
struct JournalHead {
  std::uint32_t at = 0;     ///< in the ring
  std::uint32_t bytes = 0;  ///< 0: there is none
  Stamp stamp;
};
static_assert(sizeof(JournalHead) == 16);

/// Each slot of the vector has a ring at as many memory servers as there are copies, beginning with
/// server slot % m (NAM-DB paper, section 6.2), in a region that these add behind their others.
/// Copies are all alike.
class JournalLayout {
 public:
  static constexpr std::uint32_t kHeadBytes = 64;

  /// `ring_bytes`: of each ring, its head included, a multiple of 64. `checkpoints`: whether
  /// servers tell what theirs hold.
  JournalLayout(const Layout& layout, std::uint32_t copies, std::uint32_t ring_bytes,
                bool checkpoints);

  std::uint32_t copies() const { return copies_; }
  std::uint32_t ring_bytes() const { return ring_bytes_; }

  /// Where the head of a slot's ring lies.
  RemoteAddress ring(std::uint32_t slot, std::uint32_t copy) const;

  /// Where a server tells of how many commits of a slot its latest checkpoint holds: 4 B, behind
  /// the rings.
  RemoteAddress told(NodeId server, std::uint32_t slot) const;

  /// Bytes of each memory server's rings, and of its region, which is these and what it tells.
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

/// Bytes of each ring; throws ConfigurationError when they are asked to be shorter than an entry.
std::uint32_t journal_ring_bytes(const Layout& layout, const TransactionLimits& limits,
                                 const NodeOptions& options);

}  // namespace verbena::txn::nam
