// Windows of chains of one operation.
#include <cstddef>
#include <utility>
#include <vector>

#include "experiments/bench/bench_fibers.h"
#include "experiments/bench/prism_objects.h"
#include "experiments/bench/prism_operation.h"
#include "rdma/prism/buffer_reports.h"
#include "rdma/prism/prism_batch.h"

namespace verbena::experiments {

void prism_fiber(BenchWorker& bench) {
  const BenchOptions& options = bench.options;
  rdma::PrismBatch batch(bench.worker.rpc());
  rdma::BufferReports reports(bench.worker.rpc());
  const std::vector<std::byte> payload(options.payload_bytes);
  std::vector<std::pair<NodeId, rdma::OpId>> operations;
  bench.closed_loop(options.window, [&] {
    for (std::uint32_t i = 0; i < options.window; ++i) {
      const NodeId server = bench.random_peer();
      operations.emplace_back(
          server, add_prism_operation(options.operation, batch, batch.chain(server, 0), payload,
                                      bench.random));
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
