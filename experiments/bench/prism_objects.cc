// How slots, objects and buffers lie one behind the other, and who serves them.
#include "experiments/bench/prism_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "rdma/base/errors.h"
#include "rdma/chain/chain_message.h"
#include "rdma/endpoint.h"
#include "rdma/prism/buffer_reports.h"
#include "rdma/worker.h"

namespace verbena::experiments {
namespace {

/// Reports of a fiber for each server: one that is being collected, and those on their way.
constexpr std::uint64_t kReports = 3;

std::uint64_t buffers_for(const BenchOptions& options, const rdma::ClusterLinks& links) {
  if (options.operation != Operation::kAllocate) return 0;
  std::uint64_t workers = 0;
  for (NodeId node = 0; node < options.clients; ++node) workers += links.workers(node);
  return workers * options.fibers * (options.window + kReports * rdma::BufferReports::kAtOnce);
}

}  // namespace

PrismObjects::PrismObjects(const BenchOptions& options, const rdma::ClusterLinks& links)
    : payload_bytes_(options.payload_bytes),
      stride_(static_cast<std::uint32_t>(whole_lines(options.payload_bytes))),
      objects_(std::clamp<std::uint64_t>(kBenchRegionBytes / stride_, 1, kSlots)),
      first_buffer_(kSlots * kSlotBytes + objects_ * stride_),
      buffers_(static_cast<std::uint32_t>(buffers_for(options, links))) {}

rdma::PageLoader PrismObjects::loader() const {
  return [*this](std::uint64_t offset, std::span<std::byte> page) {
    for (std::size_t i = 0; i < page.size() && offset + i < kSlots * kSlotBytes; i += kSlotBytes) {
      const std::uint64_t object = (offset + i) / kSlotBytes % objects_;
      const std::array<std::uint64_t, 2> slot{kSlots * kSlotBytes + object * stride_,
                                              payload_bytes_};
      std::memcpy(page.data() + i, slot.data(), kSlotBytes);
    }
  };
}

std::size_t PrismObjects::message_bytes() const {
  rdma::Operation largest;
  largest.length = payload_bytes_;
  return rdma::kChainHeaderBytes + rdma::request_bytes(largest) + stride_;
}

std::unique_ptr<rdma::ChainServer> PrismObjects::serve(rdma::Endpoint& endpoint) const {
  const std::size_t most = endpoint.worker(0).rpc().max_payload();
  if (message_bytes() > most) {
    throw ConfigurationError(fmt::format(
        "--payload {}: a chain of one operation on it takes {} bytes; a message holds {}, more "
        "with rdma.rpc_transport=write-ring and rdma.rpc_max_message_bytes",
        payload_bytes_, message_bytes(), most));
  }
  auto server = std::make_unique<rdma::ChainServer>(endpoint.workers());
  server->add_memory(endpoint.region(0));
  const rdma::FreeListId list = server->add_free_list(0, first_buffer_, stride_, buffers_);
  for (std::uint64_t i = 0; i < buffers_; ++i) {
    server->free_list(list).post_new(first_buffer_ + i * stride_);
  }
  endpoint.serve_chains(*server);
  return server;
}

}  // namespace verbena::experiments
