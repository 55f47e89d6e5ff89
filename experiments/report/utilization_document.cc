// Members of the document, by the names of kinds and activities.
#include "experiments/report/utilization_document.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/report/bound.h"
#include "rdma/seam/work.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

json cores_document(const workloads::CoresUse& cores) {
  json time = json::object();
  for (std::size_t i = 0; i < rdma::kActivities; ++i) {
    time[rdma::activity_name(static_cast<rdma::Activity>(i))] = cores.shares[i];
  }
  time["waiting"] = cores.waiting;
  return {{"count", cores.count},
          {"mean", cores.mean},
          {"most", cores.most},
          {"busiest", cores.busiest},
          {"saturated", cores.saturated},
          {"completions_waiting", cores.completions},
          {"time", time}};
}

json stations_document(const workloads::StationsUse& stations) {
  return {{"count", stations.count},         {"mean", stations.mean},
          {"most", stations.most},           {"busiest", stations.busiest},
          {"saturated", stations.saturated}, {"waiting", stations.waiting},
          {"for_misses", stations.for_miss}};
}

}  // namespace

void add_utilization(json& document, const Measurement& measurement) {
  const workloads::Utilization& use = measurement.utilization;
  if (use.empty()) return;
  json stations = json::object();
  for (const workloads::StationsUse& kind : use.stations) {
    stations[kind.kind] = stations_document(kind);
  }
  document["utilization"] = {{"cores", cores_document(use.cores)},
                             {"stations", stations},
                             {"queue_pair_cache_misses", queue_pair_miss_share(measurement)}};
  if (const std::optional<Bound> bound = bound_of(measurement)) {
    document["bound_by"] = {{"resource", bound->by}, {"text", bound->text}};
  }
}

}  // namespace verbena::experiments
