// Posting and popping.
#include "txn/prism/buffers/buffer_service.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "rdma/base/message_io.h"
#include "rdma/prism/prism_methods.h"
#include "rdma/rpc/rpc.h"
#include "txn/prism/buffers/buffer_stock.h"

namespace verbena::txn::prism {
namespace {

using Message = std::span<const std::byte>;

void take_back(rdma::Rpc& rpc, rdma::ChainServer& server, std::size_t lists, Message message) {
  MessageReader reader(message);
  const auto given = reader.take<rdma::GivenBack>();
  check_below(given.free_list, lists, "the free list");
  rdma::FreeList& list = server.free_list(static_cast<rdma::FreeListId>(given.free_list));
  const std::size_t count = reader.count<std::uint64_t>();
  rpc.thread().core().spend(rdma::Work::kPrismOp, static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const auto offset = reader.take<std::uint64_t>();
    if (list.post(offset) == rdma::FreeList::Post::kPosted) continue;
    throw Malformed("gives back " + std::to_string(offset) + ", where no buffer is in use");
  }
}

void hand_out(rdma::Rpc& rpc, rdma::ChainServer& server, std::size_t lists, Message message,
              NodeId client, rdma::RpcReply& reply) {
  const auto wanted = MessageReader(message).take<WantedBuffers>();
  check_below(wanted.free_list, lists, "the free list");
  check_within(wanted.count, 1, BufferStock::kMostAtOnce, "buffers");
  if (rpc.health().is_dead(client)) return;
  rdma::FreeList& list = server.free_list(static_cast<rdma::FreeListId>(wanted.free_list));
  std::array<std::uint64_t, BufferStock::kMostAtOnce> offsets;
  std::size_t count = 0;
  while (count < wanted.count) {
    const std::optional<std::uint64_t> buffer = list.pop();
    if (!buffer) break;
    offsets[count++] = *buffer;
  }
  rpc.thread().core().spend(rdma::Work::kPrismOp, static_cast<std::uint32_t>(count));
  const auto bytes = std::as_bytes(std::span(offsets).first(count));
  if (!bytes.empty()) std::ranges::copy(bytes, reply.allocate(bytes.size()).begin());
}

}  // namespace

void serve_buffers(rdma::Rpc& rpc, rdma::ChainServer& server, std::size_t lists) {
  rpc.serve(kBuffersBack,
            [&rpc, &server, lists](const rdma::RpcCaller&, Message message, rdma::RpcReply&) {
              take_back(rpc, server, lists, message);
            });
  rpc.serve(kTakeBuffers, [&rpc, &server, lists](const rdma::RpcCaller& from, Message message,
                                                 rdma::RpcReply& reply) {
    hand_out(rpc, server, lists, message, from.node, reply);
  });
}

}  // namespace verbena::txn::prism
