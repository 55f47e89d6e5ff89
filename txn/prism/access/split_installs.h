// Installs where operations leave each other no values.
#pragma once

#include <optional>
#include <vector>

#include "txn/prism/access/installs.h"

namespace verbena::txn::prism {

/// Allocates buffers in one round trip and makes slots lead to them in another: the client carries
/// the addresses.
class SplitInstalls final : public Installs {
 public:
  explicit SplitInstalls(ServerChains& chains) : chains_(chains) {}

  std::size_t add(NodeId server, const InstallChain& chain) override;
  void carry_out(const RoundTrip& round_trip) override;
  Installed installed(std::size_t install) const override;
  void clear() override;

 private:
  struct Added {
    NodeId server;
    rdma::OpId allocate;
    rdma::Operation swap;  // with an operand that lacks the address
    std::size_t pointer_word;
    std::optional<rdma::OpId> swapped = std::nullopt;
  };

  ServerChains& chains_;
  std::vector<Added> added_;
};

}  // namespace verbena::txn::prism
