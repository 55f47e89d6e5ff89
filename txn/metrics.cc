// Merging of metrics.
#include "txn/metrics.h"

#include <cassert>

namespace verbena::txn {

Metrics::Metrics(const SystemInfo& system)
    : aborted(system.abort_causes.size()),
      counters(system.counters.size()),
      phases(system.phases.size()),
      served(system.phases.size()),
      times(system.times.size()) {}

void Metrics::merge(const Metrics& other) {
  assert(aborted.size() == other.aborted.size() && counters.size() == other.counters.size());
  assert(phases.size() == other.phases.size() && served.size() == other.served.size());
  assert(times.size() == other.times.size());
  committed += other.committed;
  for (std::size_t i = 0; i < aborted.size(); ++i) aborted[i] += other.aborted[i];
  for (std::size_t i = 0; i < counters.size(); ++i) counters[i] += other.counters[i];
  latency.merge(other.latency);
  for (std::size_t i = 0; i < phases.size(); ++i) phases[i].merge(other.phases[i]);
  for (std::size_t i = 0; i < served.size(); ++i) served[i].merge(other.served[i]);
  for (std::size_t i = 0; i < times.size(); ++i) times[i].merge(other.times[i]);
}

}  // namespace verbena::txn
