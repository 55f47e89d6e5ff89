// Keeper of a server's free lists, which must not run dry.
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

/// Adds lists to a server, and gives a list that has few buffers more from the reserve for keys to
/// come: the server "periodically checks if more buffers are needed" (PRISM paper, section 6.1).
/// Also makes the scavenger look for the buffers of dead clients. Used by worker 0.
class Keeper {
 public:
  /// `server` must have the region already, and no lists. `low_water`: of each list; 0: a quarter
  /// of its spares. All arguments must outlive this.
  Keeper(const std::vector<BufferList>& lists, std::uint32_t low_water, RegionId region,
         rdma::ChainServer& server);

  /// Body of a background fiber.
  void run(rdma::Worker& worker, Scavenger& scavenger);

  /// Returns the number of a list's first buffer that no run has used yet; those behind it are
  /// unused, too.
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
