// The region of the vector of commits, or of the counter.
#include "txn/nam/node/oracle_server.h"

#include <algorithm>

namespace verbena::txn::nam {

OracleServer::OracleServer(rdma::Endpoint& endpoint, const Layout& layout, Oracle oracle)
    : layout_(layout), region_(endpoint.add_region("vector", layout.vector().oracle_bytes(), {})) {
  if (oracle != Oracle::kCounter) return;
  counter_ = std::make_unique<CounterServer>(region_, layout);
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
    counter_->serve(endpoint.worker(static_cast<WorkerId>(w)));
  }
}

std::span<std::uint32_t> OracleServer::counts() {
  const std::uint32_t slots = layout_.vector().slots();
  return {reinterpret_cast<std::uint32_t*>(region_.at(0, slots * sizeof(std::uint32_t))), slots};
}

void OracleServer::begin_with(std::span<const std::uint32_t> counts) {
  std::ranges::copy(counts, this->counts().begin());
}

std::vector<std::uint32_t> OracleServer::published() {
  if (layout_.vector().parts() > 1) return {};
  const std::span<const std::uint32_t> all = counts();
  return {all.begin(), all.end()};
}

}  // namespace verbena::txn::nam
