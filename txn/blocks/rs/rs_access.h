// Reads and writes of blocks at one replica, by what NICs can do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rdma/chain/operation.h"
#include "rdma/worker.h"
#include "txn/blocks/rs/rs_layout.h"
#include "txn/blocks/tag.h"
#include "txn/prism/access/round_trip.h"
#include "txn/prism/access/without.h"
#include "txn/prism/clients.h"

namespace verbena::txn::prism {
class BufferStock;
}  // namespace verbena::txn::prism

namespace verbena::txn::blocks {

/// One client's operations at one replica, one at a time. Belongs to the fiber of the client's
/// errands there. All calls suspend it.
class RsAccess {
 public:
  virtual ~RsAccess() = default;

  /// READs tag and value of the block whose metadata is at that offset. The result is valid until
  /// the next call.
  virtual std::span<const std::byte> read(std::uint64_t metadata_at, std::uint32_t value_bytes,
                                          const prism::RoundTrip& round_trip) = 0;
  /// READs its tag alone.
  virtual Tag read_tag(std::uint64_t metadata_at, const prism::RoundTrip& round_trip) = 0;

  struct Written {
    bool had_buffer = false;
    bool newest = false;       ///< the block had an older version
    std::uint64_t unused = 0;  ///< buffer that no block has any more
  };
  /// Writes a version, tag and value, unless the block has it already, or a later one.
  virtual Written write(std::uint64_t metadata_at, rdma::FreeListId list,
                        std::span<const std::byte> version, const prism::RoundTrip& round_trip) = 0;
};

/// A client, and what it knows of others. References must outlive what is made with it.
struct RsClient {
  rdma::Worker& worker;
  const RsLayout& layout;
  const prism::Clients& clients;
  std::uint64_t number;
};

/// Returns a client's operations at `replica`. `stock`: see prism::make_installs.
std::unique_ptr<RsAccess> make_rs_access(prism::Without without, const RsClient& client,
                                         NodeId replica, prism::BufferStock* stock);

/// Bytes of the longest message of operations on any table, without the RPC header.
std::size_t message_bytes(prism::Without without, const RsLayout& layout);

}  // namespace verbena::txn::blocks
