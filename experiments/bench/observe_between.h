// Observing a simulated bench from outside of its threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "experiments/bench/bench_options.h"
#include "rdma/seam/fabric.h"
#include "workloads/run/resources/nic_interval.h"

namespace verbena::experiments {

/// Lets `nics` observe the measured time of a simulation that begins now, and `position` follow its
/// time; does nothing on hardware, where the bench's threads do it. All arguments must outlive
/// the run.
inline void observe_between(rdma::Fabric& fabric, workloads::NicInterval& nics,
                            const BenchOptions& options, std::atomic<std::int64_t>& position) {
  const Nanoseconds start = to_nanoseconds(fabric.use().time);
  fabric.look_between([&nics, &options, &position, start](Nanoseconds now) {
    const Nanoseconds from = start + options.warm_up;
    nics.observe(now, from, from + options.duration);
    position.store((now - start).count(), std::memory_order_relaxed);
  });
}

}  // namespace verbena::experiments
