// One operation each.
#include "txn/blocks/rs/rs_operations.h"

#include <cstddef>

#include "txn/blocks/rs/rs_layout.h"

namespace verbena::txn::blocks {

rdma::Operation read_at(std::uint64_t at, std::uint32_t bytes, bool indirect) {
  rdma::Operation read;
  read.target = {rdma::Place::Where::kMemory, at};
  read.target_indirect = indirect;
  read.length = bytes;
  return read;
}

std::span<const std::byte> read_version(prism::ServerChains& chains, NodeId replica,
                                        std::uint64_t metadata_at, std::uint32_t value_bytes,
                                        const prism::RoundTrip& round_trip) {
  const auto bytes = static_cast<std::uint32_t>(sizeof(Tag)) + value_bytes;
  const rdma::OpId read =
      chains.add(replica, read_at(metadata_at + offsetof(Metadata, pointer), bytes, true));
  chains.carry_out(round_trip);
  return chains.data(read);
}

Tag read_tag(prism::ServerChains& chains, NodeId replica, std::uint64_t metadata_at,
             const prism::RoundTrip& round_trip) {
  const rdma::OpId read =
      chains.add(replica, read_at(metadata_at + offsetof(Metadata, tag), sizeof(Tag), false));
  chains.carry_out(round_trip);
  return chains.value<Tag>(read);
}

}  // namespace verbena::txn::blocks
