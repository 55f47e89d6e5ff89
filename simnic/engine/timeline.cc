// Starting and stopping cores.
#include "simnic/engine/timeline.h"

#include <utility>

#include "simnic/engine/mix_seed.h"

namespace verbena::simnic {

Timeline::Timeline(CoreHost& host, const Conditions& conditions, NodeId node)
    : host_(host), conditions_(conditions), node_(node), digest_(mix_seed(conditions.seed, node)) {}

void Timeline::start(std::vector<rdma::CoreTask> tasks, const CpuProfile& cpu,
                     const std::vector<Stack>& stacks) {
  const std::size_t all = tasks.size();
  for (std::size_t place = 0; place < all; ++place) {
    cores_.push_back(std::make_unique<SimCore>(*this, cpu,
                                               first_core_ + static_cast<std::uint32_t>(place),
                                               std::move(tasks[place]), stacks[place]));
    ready_.push_back(cores_.back().get());
  }
  const std::uint64_t physical = kSockets * static_cast<std::uint64_t>(cpu.cores_per_socket);
  for (const std::unique_ptr<SimCore>& core : cores_) {
    if (core->worker() >= physical || core->worker() + physical < all) core->share_core();
  }
  unfinished_ = static_cast<std::uint32_t>(all);
}

void Timeline::stop_cores() {
  for (const std::unique_ptr<SimCore>& core : cores_) {
    if (core->finished() || core->stopped()) continue;
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

}  // namespace verbena::simnic
