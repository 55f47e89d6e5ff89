// The part of the oracle: the vector of commits, or a counter.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rdma/endpoint.h"
#include "txn/nam/oracle/global_counter.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// A node's part as the oracle, or as one of its servers: the vector of commits, or the counter.
/// Owned by its node.
class OracleServer {
 public:
  /// Adds the region of the vector; serves at all workers, if there is a counter. All must outlive
  /// it.
  OracleServer(rdma::Endpoint& endpoint, const Layout& layout, Oracle oracle);

  /// The vector begins with these; only where it is in one part.
  void begin_with(std::span<const std::uint32_t> counts);

  /// See StateAtRest.
  std::vector<std::uint32_t> published();

 private:
  std::span<std::uint32_t> counts();

  const Layout& layout_;
  rdma::Region& region_;
  std::unique_ptr<CounterServer> counter_;  // null: there is none
};

}  // namespace verbena::txn::nam
