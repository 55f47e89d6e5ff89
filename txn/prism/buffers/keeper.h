// A server's free lists, kept from running dry.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/prism/chain_server.h"
#include "txn/prism/buffers/buffer_list.h"
#include "txn/prism/buffers/scavenger.h"

namespace verbena::rdma {
class Worker;
}  // namespace verbena::rdma

namespace verbena::txn::prism {

/// Adds lists to a server, and gives each more buffers when it has few, of those that
/// are kept for keys to come: the server "periodically checks if more buffers are needed" (PRISM
/// paper, section 6.1). It has the buffers of dead clients looked for, too. Of worker 0.
class Keeper {
 public:
  /// `server` has the region already, and no lists. `low_water`: of each list; 0: a quarter of its
  /// spares. All must outlive this.
  Keeper(const std::vector<BufferList>& lists, std::uint32_t low_water, RegionId region,
         rdma::ChainServer& server);

  /// The body of a fiber in the background.
  void run(rdma::Worker& worker, Scavenger& scavenger);

  /// Buffers of a list that no run has used yet, from the first one of them on.
  std::uint32_t unused_from(rdma::FreeListId list) const { return posted_[list]; }

 private:
  void refill(rdma::FreeListId list, rdma::Worker& worker);
  void post(rdma::FreeListId list, std::uint32_t buffers);

  const std::vector<BufferList>& lists_;
  const std::uint32_t low_water_;
  rdma::ChainServer& server_;
  std::vector<std::uint32_t> posted_;  // [list]: buffers before this one were posted, or loaded
};

}  // namespace verbena::txn::prism
