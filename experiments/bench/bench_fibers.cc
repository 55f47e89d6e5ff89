// Windows of single requests.
#include "experiments/bench/bench_fibers.h"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <vector>

#include "experiments/bench/bench_methods.h"
#include "rdma/base/errors.h"
#include "rdma/endpoint.h"
#include "rdma/rpc/rpc_batch.h"

namespace verbena::experiments {
namespace {

void check_message(const char* flag, std::uint32_t bytes, rdma::Worker& worker) {
  const std::size_t most = worker.rpc().max_payload();
  if (bytes <= most) return;
  throw ConfigurationError(
      fmt::format("{} {}: a message holds at most {} bytes", flag, bytes, most));
}

}  // namespace

void serve(BenchWorker& bench) {
  const BenchOptions& options = bench.options;
  if (options.operation == Operation::kSend || is_call(options.operation) || options.two_sided) {
    check_message("--payload", options.payload_bytes, bench.worker);
  }
  if (is_call(options.operation)) {
    check_message("--request-payload", options.request_bytes, bench.worker);
  }
  rdma::Rpc& rpc = bench.worker.rpc();
  // Nothing is copied, as in the paper (section 4.2): the memory that it would come from or go to
  // is the application's business.
  rpc.serve(kFetch,
            [&bench](const rdma::RpcCaller&, std::span<const std::byte>, rdma::RpcReply& reply) {
              bench.observe();
              reply.allocate(bench.options.payload_bytes);
            });
  rpc.serve(kStore, [&bench](const rdma::RpcCaller&, std::span<const std::byte>, rdma::RpcReply&) {
    bench.observe();
  });
  rpc.serve(kMessage,
            [&bench](const rdma::RpcCaller&, std::span<const std::byte> message, rdma::RpcReply&) {
              bench.observe();
              Nanoseconds sent = 0;
              std::memcpy(&sent, message.data(), sizeof(sent));
              bench.record(sent, bench.worker.now(), 1);
            });
}

void one_sided_fiber(BenchWorker& bench) {
  const BenchOptions& options = bench.options;
  rdma::Worker& worker = bench.worker;
  rdma::RequestBatch batch(worker.connections());
  const std::uint64_t stride = whole_lines(options.payload_bytes);
  std::byte* buffer = worker.allocate_scratch(options.window * stride).data();
  std::vector<std::uint64_t> found(options.window);
  const std::uint64_t alignment = is_atomic(options.operation) ? 8 : 64;
  // Each request is then to take a queue pair of its own choice.
  const bool post_singly =
      worker.endpoint().options().qps_per_peer > 1 && options.doorbell == rdma::Doorbell::kEach;
  bench.closed_loop(options.window, [&] {
    for (std::uint32_t i = 0; i < options.window; ++i) {
      const RemoteAddress at = bench.random_place(options.payload_bytes, alignment);
      switch (options.operation) {
        case Operation::kRead:
          batch.read(at, buffer + i * stride, options.payload_bytes);
          break;
        case Operation::kWrite:
          batch.write(at, buffer + i * stride, options.payload_bytes);
          break;
        case Operation::kCompareAndSwap:
          batch.compare_and_swap(at, 0, 0, &found[i]);
          break;
        default:
          batch.fetch_and_add(at, 1, &found[i]);
      }
      if (post_singly) batch.post(options.doorbell);
    }
    if (!post_singly) batch.post(options.doorbell);
    batch.wait();
  });
}

void rpc_fiber(BenchWorker& bench) {
  const BenchOptions& options = bench.options;
  rdma::RpcBatch batch(bench.worker.rpc());
  const std::vector<std::byte> request(options.request_bytes);
  bench.closed_loop(options.window, [&] {
    for (std::uint32_t i = 0; i < options.window; ++i) {
      batch.add(bench.random_peer(), kFetch, request);
    }
    batch.post(options.doorbell);
    batch.wait();
    batch.clear();
  });
}

void send_fiber(BenchWorker& bench) {
  const BenchOptions& options = bench.options;
  rdma::Worker& worker = bench.worker;
  std::vector<std::byte> message(options.payload_bytes);
  while (!bench.over()) {
    bench.observe();
    for (std::uint32_t i = 0; i < options.window; ++i) {
      const Nanoseconds sent = worker.now();
      std::memcpy(message.data(), &sent, sizeof(sent));
      worker.rpc().notify(bench.random_peer(), kMessage, message, options.doorbell);
    }
    worker.yield();
  }
  bench.observe();
}

}  // namespace verbena::experiments
