// Operations on several objects.
#include <vector>

#include "experiments/bench/bench_fibers.h"
#include "experiments/bench/bench_methods.h"
#include "rdma/endpoint.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc_batch.h"

namespace verbena::experiments {
namespace {

// Bytes of the request of a two-sided read: the name of an object.
constexpr std::uint32_t kNameBytes = 8;

// One-sided operations of one fiber.
class MultiOneSided {
 public:
  explicit MultiOneSided(BenchWorker& bench)
      : bench_(bench),
        options_(bench.options),
        batch_(bench.worker.connections()),
        stride_(whole_lines(options_.payload_bytes)),
        buffer_(bench.worker.allocate_scratch(options_.objects * stride_).data()),
        post_singly_(!options_.outstanding ||
                     (options_.doorbell == rdma::Doorbell::kEach &&
                      bench.worker.endpoint().options().qps_per_peer > 1)) {}

  void run_one() {
    for (std::uint32_t object = 0; object < options_.objects; ++object) {
      const bool last = object + 1 == options_.objects;
      if (last && options_.passive) post(true);
      add(object);
      if (last || post_singly_) post(options_.passive && !last);
      if (last || !options_.outstanding) batch_.wait();
    }
  }

 private:
  void add(std::uint32_t object) {
    const RemoteAddress at = bench_.random_place(options_.payload_bytes, 64);
    std::byte* local = buffer_ + object * stride_;
    if (options_.operation == Operation::kMultiRead) {
      batch_.read(at, local, options_.payload_bytes);
    } else {
      batch_.write(at, local, options_.payload_bytes);
    }
  }

  void post(bool passive) {
    if (batch_.empty()) return;
    if (passive) {
      batch_.post_passive(options_.doorbell);
    } else {
      batch_.post(options_.doorbell);
    }
  }

  BenchWorker& bench_;
  const BenchOptions& options_;
  rdma::RequestBatch batch_;
  std::uint64_t stride_;
  std::byte* buffer_;
  bool post_singly_;
};

// Two-sided operations of one fiber.
class MultiTwoSided {
 public:
  explicit MultiTwoSided(BenchWorker& bench)
      : bench_(bench),
        options_(bench.options),
        batch_(bench.worker.rpc()),
        method_(options_.operation == Operation::kMultiRead ? kFetch : kStore),
        request_(method_ == kFetch ? kNameBytes : options_.payload_bytes) {}

  void run_one() {
    for (std::uint32_t object = 0; object < options_.objects; ++object) {
      if (options_.passive) {
        bench_.worker.rpc().notify(bench_.random_peer(), method_, request_, options_.doorbell);
        continue;
      }
      batch_.add(bench_.random_peer(), method_, request_);
      if (!options_.outstanding) call();
    }
    if (options_.passive) {
      bench_.worker.yield();
    } else if (options_.outstanding) {
      call();
    }
  }

 private:
  void call() {
    batch_.post(options_.doorbell);
    batch_.wait();
    batch_.clear();
  }

  BenchWorker& bench_;
  const BenchOptions& options_;
  rdma::RpcBatch batch_;
  rdma::RpcMethod method_;
  std::vector<std::byte> request_;
};

template <typename Operations>
void loop(BenchWorker& bench) {
  Operations operations(bench);
  bench.closed_loop(1, [&] { operations.run_one(); });
}

}  // namespace

void multi_one_sided_fiber(BenchWorker& bench) { loop<MultiOneSided>(bench); }

void multi_two_sided_fiber(BenchWorker& bench) { loop<MultiTwoSided>(bench); }

}  // namespace verbena::experiments
