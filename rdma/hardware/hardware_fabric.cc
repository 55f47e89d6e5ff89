// The fabric of real RDMA devices: libibverbs, threads and the machine's clock.
#include "rdma/hardware/hardware_fabric.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/hardware/libibverbs_table.h"
#include "rdma/hardware/tcp_rendezvous.h"
#include "rdma/seam/in_memory_rendezvous.h"

namespace verbena::rdma {
namespace {

/// Leaves a task whose run has ended because another task failed.
struct RunCancelled {};

/// One thread. Yields to the operating system only where threads have to share CPUs.
class HardwareCore final : public Core {
 public:
  HardwareCore(const std::atomic<bool>& cancelled, bool shared_cpu)
      : Core(WorkCosts{}), cancelled_(cancelled), shared_cpu_(shared_cpu) {}

  Nanoseconds now() const override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return Nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }

  void idle(Nanoseconds /*deadline*/) override {
    if (cancelled_.load(std::memory_order_relaxed)) throw RunCancelled{};
    if (shared_cpu_) {
      sched_yield();
    } else {
      __builtin_ia32_pause();
    }
  }

  void wake() override {}  // idle does not sleep

  void give_way() override { sched_yield(); }

 private:
  const std::atomic<bool>& cancelled_;
  bool shared_cpu_;
};

std::vector<int> usable_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);  // a wish
}

class HardwareFabric final : public Fabric {
 public:
  explicit HardwareFabric(const HardwareOptions& options)
      : nodes_(options.nodes), hosted_(options.hosted), pin_threads_(options.pin_threads) {
    if (hosted_.empty()) {
      hosted_.resize(nodes_);
      std::iota(hosted_.begin(), hosted_.end(), NodeId{0});
    }
    for (const NodeId node : hosted_) {
      if (node >= nodes_) {
        throw ConfigurationError("hosted node " + std::to_string(node) + ": nodes are 0 to " +
                                 std::to_string(nodes_ - 1));
      }
    }
    if (options.addresses.empty() && hosted_.size() == nodes_) {
      rendezvous_ = std::make_unique<InMemoryRendezvous>();
    } else {
      rendezvous_ = make_tcp_rendezvous(nodes_, hosted_, options.addresses);
    }
  }

  std::uint32_t nodes() const override { return nodes_; }
  const std::vector<NodeId>& hosted() const override { return hosted_; }
  const VerbsTable& verbs(NodeId /*node*/) override { return libibverbs_table(); }
  Rendezvous& rendezvous() override { return *rendezvous_; }
  std::map<std::string, std::uint64_t> counters(NodeId /*node*/) override { return {}; }
  std::uint64_t moment(NodeId /*node*/) override { return ++last_moment_; }
  std::uint64_t trace_digest() const override { return 0; }

  void run(std::vector<CoreTask> tasks) override {
    const std::vector<int> cpus = usable_cpus();
    const bool shared = tasks.size() > cpus.size();
    std::atomic<bool> cancelled{false};
    std::mutex mutex;
    std::exception_ptr failure;
    // They outlive all threads: a task may wake a core whose own task has ended.
    std::vector<std::unique_ptr<HardwareCore>> cores;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      cores.push_back(std::make_unique<HardwareCore>(cancelled, shared));
    }
    const auto body = [&](const CoreTask& task, std::size_t index) {
      if (pin_threads_ && !shared) pin_to(cpus[index]);
      try {
        task.body(*cores[index]);
      } catch (const RunCancelled&) {
        // Another task's failure is what run() reports.
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (failure == nullptr) failure = std::current_exception();
        cancelled.store(true);
      }
    };
    {
      std::vector<std::jthread> threads;
      threads.reserve(tasks.size());
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        threads.emplace_back([&, i] { body(tasks[i], i); });
      }
    }
    if (failure != nullptr) std::rethrow_exception(failure);
  }

 private:
  std::uint32_t nodes_;
  std::vector<NodeId> hosted_;
  bool pin_threads_;
  std::unique_ptr<Rendezvous> rendezvous_;
  std::atomic<std::uint64_t> last_moment_ = 0;
};

}  // namespace

std::unique_ptr<Fabric> make_hardware_fabric(const HardwareOptions& options) {
  return std::make_unique<HardwareFabric>(options);
}

}  // namespace verbena::rdma
