// Blocks of a replica that are written under locks.
#pragma once

#include <cstdint>
#include <span>

#include "rdma/base/random.h"
#include "rdma/worker.h"
#include "txn/blocks/rs/rs_access.h"
#include "txn/prism/access/server_chains.h"
#include "txn/prism/clients.h"

namespace verbena::txn::blocks {

/// Compares tags at the client, which has the block's lock at the replica meanwhile: one chain
/// takes it, from 0 to the client's number, and READs tag and pointer; another one allocates and
/// writes, and gives it back. Nobody has locks at two replicas for one operation's sake, so there
/// is no order of locks. Takes locks from clients that are dead, once the replica carries out no
/// more of their chains: each leaves a block as it was, or written. See RsAccess.
class LockedTags final : public RsAccess {
 public:
  /// `number`: of the client. All references must outlive this.
  LockedTags(rdma::Worker& worker, NodeId replica, const RsLayout& layout,
             const prism::Clients& clients, std::uint64_t number);

  std::span<const std::byte> read(std::uint64_t metadata_at, std::uint32_t value_bytes,
                                  const prism::RoundTrip& round_trip) override;
  Tag read_tag(std::uint64_t metadata_at, const prism::RoundTrip& round_trip) override;
  Written write(std::uint64_t metadata_at, rdma::FreeListId list,
                std::span<const std::byte> version, const prism::RoundTrip& round_trip) override;

 private:
  Metadata lock(std::uint64_t metadata_at, const prism::RoundTrip& round_trip);
  bool left_by_the_dead(std::uint64_t holder) const;
  Written write_and_unlock(std::uint64_t metadata_at, rdma::FreeListId list,
                           std::span<const std::byte> version, const Metadata& old,
                           const prism::RoundTrip& round_trip);

  rdma::Worker& worker_;
  const NodeId replica_;
  const RsLayout& layout_;
  const prism::Clients& clients_;
  const std::uint64_t number_;
  prism::ServerChains chains_;
  Random random_;
};

/// Bytes of the longest message of such operations, with a version of `bytes`.
std::size_t locked_message_bytes(std::uint32_t bytes);

}  // namespace verbena::txn::blocks
