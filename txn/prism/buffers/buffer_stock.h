// Buffers that a client has before it needs them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/chain/operation.h"
#include "rdma/prism/buffer_reports.h"
#include "rdma/worker.h"

namespace verbena::txn::prism {

/// Holds free buffers of servers' lists for a worker whose NIC has no ALLOCATE. They are taken by
/// call, several at a time, when there are none left. Belongs to its worker.
class BufferStock {
 public:
  /// The most buffers of one list that a stock asks for at once.
  static constexpr std::uint32_t kMostAtOnce = 16;

  /// `share`: buffers that each list has for this worker, of which it asks for no more.
  BufferStock(rdma::Worker& worker, std::uint64_t share);

  /// Takes a buffer of a list; none if its server has none. May suspend, calling `round_trip`
  /// before.
  std::optional<std::uint64_t> take(NodeId server, rdma::FreeListId list,
                                    const std::function<void()>& round_trip);

  /// Gives back all that is left. May suspend.
  void give_back(rdma::BufferReports& reports);

 private:
  struct Shelf {
    std::vector<std::uint64_t> buffers;
    bool asking = false;  // a fiber has asked for more
  };

  void ask(NodeId server, rdma::FreeListId list, Shelf& shelf);

  rdma::Worker& worker_;
  const std::uint32_t at_once_;
  std::map<std::pair<NodeId, rdma::FreeListId>, Shelf> shelves_;
};

}  // namespace verbena::txn::prism
