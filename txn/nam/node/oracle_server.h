// Part of the oracle: the vector of commits, or a counter.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/nam/oracle/global_counter.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Holds a node's part of the vector of commits, or the counter. Owned by its node.
class OracleServer {
 public:
  /// Adds the region of the vector; serves at all workers if there is a counter. All arguments must
  /// outlive it.
  OracleServer(rdma::Endpoint& endpoint, const Layout& layout, Oracle oracle);

  /// Sets the initial vector; only for an oracle in one part.
  void begin_with(std::span<const std::uint32_t> counts);

  /// Returns the published commits, see StateAtRest.
  std::vector<std::uint32_t> published();

 private:
  std::span<std::uint32_t> counts();

  const Layout& layout_;
  rdma::Region& region_;
  std::unique_ptr<CounterServer> counter_;  // null: there is none
};

}  // namespace verbena::txn::nam
