// Looking for tables that want to grow.
#include "txn/nam/index/grower.h"

#include <span>

#include "rdma/rpc/rpc_batch.h"
#include "txn/nam/messages.h"

namespace verbena::txn::nam {
namespace {

constexpr Nanoseconds kPause = 5 * kMicrosecond;

void grow(const RecordName& name, GrowingHash& hash, rdma::Worker& worker, const Layout& layout,
          rdma::RpcBatch& calls) {
  const auto go_on = [&worker] {
    worker.yield();
    return !worker.over();
  };
  const auto tell = [&](std::uint32_t generation) {
    const AlterRequest request{.part = part_of(name), .generation = generation};
    calls.add(layout.catalog_home(name), Method::kAlter, std::as_bytes(std::span(&request, 1)));
    calls.post();
    calls.wait();
    calls.clear();
  };
  hash.grow(worker.core(), go_on, tell);
}

}  // namespace

void grow_tables(rdma::Worker& worker, const Layout& layout, const IndexOf& index_of) {
  rdma::RpcBatch calls(worker.rpc());
  for (bool any = true; any && !worker.over(); worker.sleep_until(worker.now() + kPause)) {
    any = false;
    for (const PartitionId partition : layout.view().primaries(worker.node())) {
      for (std::size_t t = 0; t < layout.schema().size(); ++t) {
        const auto table = static_cast<TableId>(t);
        GrowingHash* hash = index_of(partition, table).hash();
        if (hash == nullptr || !hash->can_grow()) continue;
        any = true;
        worker.core().spend(rdma::Work::kPollLine);
        if (!hash->wants_to_grow()) continue;
        grow({.table = table, .partition = partition, .key = 0}, *hash, worker, layout, calls);
      }
    }
  }
}

}  // namespace verbena::txn::nam
