// Numbers of all clients of a cluster.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/device/cluster_links.h"
#include "txn/system.h"

namespace verbena::txn::prism {

/// Bits of a client's number in a word, where it follows a counter or a time.
inline constexpr unsigned kClientBits = 20;
inline constexpr std::uint64_t kMostClients = (std::uint64_t{1} << kClientBits) - 1;

/// Place of a client, which is one coroutine that runs transactions.
struct ClientPlace {
  NodeId node;
  WorkerId worker;
  std::uint32_t fiber;
};

/// Numbers clients from 1. Equal on all nodes. Immutable.
class Clients {
 public:
  /// Throws ConfigurationError for more than kMostClients.
  Clients(const rdma::ClusterLinks& links, const Deployment& deployment);

  std::uint64_t count() const { return first_.back() - 1; }
  std::uint64_t number_of(const ClientPlace& client) const;
  /// Returns the client with a number from 1 to count().
  ClientPlace of(std::uint64_t number) const;

 private:
  std::uint32_t fibers_;
  std::vector<std::uint64_t> first_;  // [node]: the number of its first client; and of one more
};

}  // namespace verbena::txn::prism
