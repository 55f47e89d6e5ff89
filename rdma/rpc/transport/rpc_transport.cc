// Buffers, which all transports have in common, and the choice of a transport.
#include "rdma/rpc/transport/rpc_transport.h"

#include <cassert>

#include "rdma/rpc/transport/datagram_transport.h"
#include "rdma/rpc/transport/write_ring_transport.h"

namespace verbena::rdma {

RpcTransport::RpcTransport(const WorkerContext& context, const Kind& kind)
    : thread_(context.thread),
      verbs_(context.verbs),
      options_(context.options),
      cluster_(*context.options.links),
      pool_(context.memory.messages()),
      refill_at_(kind.refill_at),
      lossless_(kind.lossless),
      most_bytes_(kind.most_bytes),
      trailer_bytes_(kind.trailer_bytes) {}

std::unique_ptr<RpcTransport> RpcTransport::create(const WorkerContext& context) {
  if (context.options.rpc.transport == MessagePath::kWriteRing) {
    return std::make_unique<WriteRingTransport>(context);
  }
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
