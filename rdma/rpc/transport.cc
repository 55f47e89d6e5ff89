// What transports have in common: buffers, and the choice among them.
#include "rdma/rpc/transport.h"

#include <cassert>

#include "rdma/rpc/datagram_transport.h"

namespace verbena::rdma {

RpcTransport::RpcTransport(const WorkerContext& context, bool lossless, std::size_t most_bytes,
                           std::uint32_t refill_at)
    : thread_(context.thread),
      verbs_(context.verbs),
      options_(context.options),
      links_(*context.options.links),
      pool_(context.memory.messages()),
      refill_at_(refill_at),
      lossless_(lossless),
      most_bytes_(most_bytes) {}

std::unique_ptr<RpcTransport> RpcTransport::create(const WorkerContext& context) {
  return std::make_unique<DatagramTransport>(context);
}

void RpcTransport::unreference(BufferId id) {
  Buffer& buffer = pool_[id];
  assert(buffer.references > 0);
  --buffer.references;
  if (buffer.references == 0 && buffer.released) {
    buffer.released = false;
    give_back(id);
  }
}

}  // namespace verbena::rdma
