// Installs in buffers that the client has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "txn/prism/access/installs.h"
#include "txn/prism/buffers/buffer_stock.h"

namespace verbena::txn::prism {

/// Writes each object to a buffer of a stock, and makes its slot lead there by the same chain: one
/// round trip, after one for each stock that has to be replenished, one after the other.
class StockedInstalls final : public Installs {
 public:
  StockedInstalls(ServerChains& chains, BufferStock& stock) : chains_(chains), stock_(stock) {}

  std::size_t add(NodeId server, const InstallChain& chain) override;
  void carry_out(const RoundTrip& round_trip) override;
  Installed installed(std::size_t install) const override;
  void clear() override;

 private:
  struct Added {
    NodeId server;
    InstallChain chain;
    std::vector<std::byte> words;   // payload of the chain's WRITE
    std::vector<std::byte> object;  // of its ALLOCATE
    std::optional<std::uint64_t> buffer = std::nullopt;
    std::optional<rdma::OpId> first = std::nullopt;
  };

  ServerChains& chains_;
  BufferStock& stock_;
  std::vector<Added> added_;
};

}  // namespace verbena::txn::prism
