// Starting and stopping cores.
#include "simnic/engine/timeline.h"

#include <utility>

#include "simnic/engine/mix_seed.h"

namespace verbena::simnic {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kStackBytes = 1024 * 1024;
#else
constexpr std::size_t kStackBytes = 256 * 1024;
#endif

}  // namespace

Timeline::Timeline(CoreHost& host, const Conditions& conditions)
    : host_(host), conditions_(conditions), digest_(mix_seed(conditions.seed, 0)) {}

void Timeline::start(std::vector<rdma::CoreTask> tasks,
                     const std::function<const CpuProfile&(NodeId)>& cpu_of) {
  if (tasks.empty()) return;
  std::vector<std::uint32_t> per_node;
  stacks_ = std::make_unique<StackArena>(tasks.size(), kStackBytes);
  for (rdma::CoreTask& task : tasks) {
    if (task.node >= per_node.size()) per_node.resize(task.node + std::size_t{1});
    ++per_node[task.node];
    const std::size_t place = cores_.size();
    const CpuProfile& cpu = cpu_of(task.node);
    cores_.push_back(std::make_unique<SimCore>(*this, cpu,
                                               first_core_ + static_cast<std::uint32_t>(place),
                                               std::move(task), stacks_->stack(place)));
    ready_.push_back(cores_.back().get());
  }
  for (const std::unique_ptr<SimCore>& core : cores_) {
    const CpuProfile& cpu = cpu_of(core->node());
    const std::uint64_t physical = kSockets * static_cast<std::uint64_t>(cpu.cores_per_socket);
    const bool second = core->worker() >= physical;
    if (second || core->worker() + physical < per_node[core->node()]) core->share_core();
  }
  unfinished_ = static_cast<std::uint32_t>(cores_.size());
}

void Timeline::stop_cores(NodeId node) {
  for (const std::unique_ptr<SimCore>& core : cores_) {
    if (core->node() != node || core->finished() || core->stopped()) continue;
    core->stop();
    --unfinished_;
  }
}

void Timeline::stop() {
  for (const std::unique_ptr<SimCore>& core : cores_) {
    if (!core->finished()) core->end();
  }
  ready_.clear();
  first_core_ += static_cast<std::uint32_t>(cores_.size());
  cores_.clear();
  unfinished_ = 0;
}

std::exception_ptr Timeline::take_exception() { return std::exchange(exception_, nullptr); }

}  // namespace verbena::simnic
