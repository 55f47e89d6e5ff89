// READs of blocks, by their metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/base/types.h"
#include "rdma/chain/operation.h"
#include "txn/blocks/tag.h"
#include "txn/prism/access/round_trip.h"
#include "txn/prism/access/server_chains.h"

namespace verbena::txn::blocks {

/// Returns a READ of `bytes` at offset `at` of the region, or at the pointer there.
rdma::Operation read_at(std::uint64_t at, std::uint32_t bytes, bool indirect);

/// READs tag and value of a block at `replica` by its pointer. Valid until `chains`, which is
/// empty, is cleared.
std::span<const std::byte> read_version(prism::ServerChains& chains, NodeId replica,
                                        std::uint64_t metadata_at, std::uint32_t value_bytes,
                                        const prism::RoundTrip& round_trip);

/// READs its tag likewise.
Tag read_tag(prism::ServerChains& chains, NodeId replica, std::uint64_t metadata_at,
             const prism::RoundTrip& round_trip);

}  // namespace verbena::txn::blocks
