// Windows of chains of one operation.
#include <span>
#include <utility>
#include <vector>

#include "experiments/bench/bench_fibers.h"
#include "experiments/bench/prism_objects.h"
#include "rdma/prism/buffer_reports.h"
#include "rdma/prism/prism_batch.h"

namespace verbena::experiments {
namespace {

using rdma::ChainId;
using rdma::OpId;

OpId add_operation(BenchWorker& bench, rdma::PrismBatch& batch, ChainId chain,
                   std::span<const std::byte> payload) {
  const std::uint64_t slot = PrismObjects::slot(bench.random.next());
  const rdma::Target object{.offset = slot, .indirect = true, .bounded = true};
  switch (bench.options.operation) {
    case Operation::kIndirectRead:
      return batch.read(chain, object, bench.options.payload_bytes);
    case Operation::kPrismWrite:
      return batch.write(chain, object, payload);
    case Operation::kAllocate:
      return batch.allocate(chain, PrismObjects::kBuffers, payload);
    default: {
      rdma::CasArguments swap{.mode = rdma::CompareMode::kGreater, .bytes = 16, .offset = slot};
      swap.swap_words = swap.compare_words = {bench.random.next(), bench.random.next()};
      swap.swap_mask.fill(~std::uint64_t{0});
      swap.compare_mask = swap.swap_mask;
      return batch.compare_and_swap(chain, swap);
    }
  }
}

}  // namespace

void prism_fiber(BenchWorker& bench) {
  const BenchOptions& options = bench.options;
  rdma::PrismBatch batch(bench.worker.rpc());
  rdma::BufferReports reports(bench.worker.rpc());
  const std::vector<std::byte> payload(options.payload_bytes);
  std::vector<std::pair<NodeId, OpId>> operations;
  bench.closed_loop(options.window, [&] {
    for (std::uint32_t i = 0; i < options.window; ++i) {
      const NodeId server = bench.random_peer();
      operations.emplace_back(server, add_operation(bench, batch, batch.chain(server, 0), payload));
    }
    batch.post(options.doorbell);
    batch.wait();
    for (const auto& [server, operation] : operations) {
      if (options.operation != Operation::kAllocate) break;
      reports.give_back(server, PrismObjects::kBuffers, batch.allocated(operation));
    }
    operations.clear();
    batch.clear();
  });
  reports.flush();
}

}  // namespace verbena::experiments
