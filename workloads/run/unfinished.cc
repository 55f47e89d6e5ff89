// Reading what streams have noted.
#include "workloads/run/unfinished.h"

#include <algorithm>
#include <cstddef>

#include "workloads/run/worker_run.h"

namespace verbena::workloads {

void add_unfinished(NodeId node, std::span<const WorkerRun> workers,
                    std::span<const std::string> kinds, const std::vector<std::string>& causes,
                    std::vector<Unfinished>& unfinished) {
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const WorkerRun& worker = workers[w];
    for (std::size_t f = 0; f < worker.begun.size(); ++f) {
      const Tried& tried = worker.tried[f];
      const bool gone = tried.transaction == nullptr;
      if (worker.begun[f] == kNever || (gone && tried.waits_for.empty())) continue;
      Unfinished one{.node = node,
                     .worker = static_cast<WorkerId>(w),
                     .fiber = static_cast<std::uint16_t>(f),
                     .kind = kinds[tried.kind],
                     .since = worker.begun[f] - worker.start,
                     .aborts = {},
                     .waits_for = gone ? tried.waits_for : tried.transaction->waits_for()};
      for (std::size_t cause = 0; cause < tried.aborts.size(); ++cause) {
        if (tried.aborts[cause] > 0) one.aborts.emplace_back(causes[cause], tried.aborts[cause]);
      }
      unfinished.push_back(std::move(one));
    }
  }
}

void put_oldest_first(std::vector<Unfinished>& unfinished) {
  std::ranges::stable_sort(unfinished, {}, &Unfinished::since);
}

}  // namespace verbena::workloads
