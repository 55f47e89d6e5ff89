// Opening the way of a batch.
#include "rdma/prism/nic_path.h"

#include "rdma/prism/posted_chains.h"

namespace verbena::rdma {

std::unique_ptr<ChainCarrier> NicPath::open() {
  return std::make_unique<PostedChains>(thread_, connections_);
}

}  // namespace verbena::rdma
