// Installs by all extensions.
#pragma once

#include <vector>

#include "txn/prism/access/installs.h"

namespace verbena::txn::prism {

/// Installs each object by its chain, in one round trip.
class WholeInstalls final : public Installs {
 public:
  explicit WholeInstalls(ServerChains& chains) : chains_(chains) {}

  std::size_t add(NodeId server, const InstallChain& chain) override;
  void carry_out(const RoundTrip& round_trip) override;
  Installed installed(std::size_t install) const override;
  void clear() override;

 private:
  ServerChains& chains_;
  std::vector<rdma::OpId> added_;  // the first operation of each
};

}  // namespace verbena::txn::prism
