// The catalog's handlers.
#include "txn/nam/index/catalog.h"

#include <atomic>
#include <mutex>
#include <span>

#include "rdma/base/message_io.h"
#include "rdma/rpc/rpc.h"
#include "txn/nam/records/record_bounds.h"

namespace verbena::txn::nam {

Catalog::Catalog(const Layout& layout, NodeId server, rdma::FirstTouchMemory& memory)
    : layout_(layout), memory_(memory), version_offset_(layout.catalog_version(server).offset) {}

void Catalog::serve(rdma::Worker& worker) {
  using rdma::RpcCaller;
  using rdma::RpcReply;
  using Request = std::span<const std::byte>;
  worker.rpc().serve(Method::kDescribe, [this, &worker](const RpcCaller&, Request q, RpcReply& r) {
    worker.core().spend(rdma::Work::kIndexProbe);
    describe(q, r);
  });
  worker.rpc().serve(Method::kAlter, [this, &worker](const RpcCaller&, Request q, RpcReply&) {
    worker.core().spend(rdma::Work::kIndexInsert);
    alter(MessageReader(q).take<AlterRequest>());
  });
}

std::uint64_t& Catalog::version() const {
  return *reinterpret_cast<std::uint64_t*>(memory_.at(version_offset_, sizeof(std::uint64_t)));
}

void Catalog::describe(std::span<const std::byte> request, rdma::RpcReply& reply) {
  MessageReader message(request);
  const std::size_t parts = message.count<TablePart>();
  check_within(parts, 0, kMostDescribed, "parts of tables");
  MessageWriter out(reply.allocate(sizeof(DescribeReply) + parts * sizeof(std::uint32_t)));
  const std::lock_guard guard(changing_);
  out.put(DescribeReply{.version = std::atomic_ref(version()).load(std::memory_order_relaxed)});
  for (std::size_t i = 0; i < parts; ++i) {
    const auto known = generations_.find(message.take<TablePart>());
    out.put(known == generations_.end() ? 0U : known->second);
  }
}

// A node that READs the version and finds it changed asks, and waits for this.
void Catalog::alter(const AlterRequest& asked) {
  check_part(layout_, asked.part.partition, asked.part.table);
  check_below(asked.generation, layout_.table(asked.part.table).hash.size(), "generation");
  const std::lock_guard guard(changing_);
  generations_[asked.part] = asked.generation;
  std::atomic_ref(version()).fetch_add(1, std::memory_order_release);
}

}  // namespace verbena::txn::nam
