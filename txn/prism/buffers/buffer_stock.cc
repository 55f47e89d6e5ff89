// Asking for more.
#include "txn/prism/buffers/buffer_stock.h"

#include <algorithm>
#include <span>

#include "rdma/base/message_io.h"
#include "rdma/endpoint.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"
#include "txn/prism/buffers/buffer_service.h"

namespace verbena::txn::prism {
namespace {

/// Between two looks of a fiber at what another one has asked for.
constexpr Nanoseconds kPause = kMicrosecond;

}  // namespace

BufferStock::BufferStock(rdma::Worker& worker, std::uint64_t share)
    : worker_(worker),
      at_once_(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(share, 1, kMostAtOnce))) {}

std::optional<std::uint64_t> BufferStock::take(NodeId server, rdma::FreeListId list,
                                               const std::function<void()>& round_trip) {
  Shelf& shelf = shelves_[{server, list}];
  while (shelf.buffers.empty() && shelf.asking && !worker_.endpoint().is_dead(server)) {
    worker_.sleep_until(worker_.now() + kPause);
  }
  if (shelf.buffers.empty()) {
    if (round_trip) round_trip();
    ask(server, list, shelf);
  }
  if (shelf.buffers.empty()) return std::nullopt;
  const std::uint64_t buffer = shelf.buffers.back();
  shelf.buffers.pop_back();
  return buffer;
}

// A fiber whose node dies may be unwound when the stock is gone, so only an answer ends the asking.
void BufferStock::ask(NodeId server, rdma::FreeListId list, Shelf& shelf) {
  shelf.asking = true;
  worker_.core().reach("prism: buffers taken in advance");
  rdma::RpcBatch call(worker_.rpc());
  const WantedBuffers wanted{.free_list = list, .count = at_once_};
  call.add(server, kTakeBuffers, std::as_bytes(std::span(&wanted, 1)));
  call.post();
  call.wait();
  shelf.asking = false;
  call.take(0, [&](std::span<const std::byte> reply) {
    MessageReader reader(reply);
    const std::size_t count = reader.count<std::uint64_t>();
    check_within(count, 0, at_once_, "buffers");
    for (std::size_t i = 0; i < count; ++i) shelf.buffers.push_back(reader.take<std::uint64_t>());
  });
}

void BufferStock::give_back(rdma::BufferReports& reports) {
  for (auto& [of, shelf] : shelves_) {
    for (const std::uint64_t buffer : shelf.buffers) reports.give_back(of.first, of.second, buffer);
    shelf.buffers.clear();
  }
}

}  // namespace verbena::txn::prism
