// Members of the document, by the names of kinds and activities.
#include "experiments/report/utilization_document.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "experiments/report/text/bound.h"
#include "rdma/seam/work.h"
#include "txn/view.h"

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

json stations_documents(const std::vector<workloads::StationsUse>& kinds) {
  json documents = json::object();
  for (const workloads::StationsUse& kind : kinds) {
    documents[kind.kind] = stations_document(kind);
  }
  return documents;
}

double microseconds(Nanoseconds time) { return static_cast<double>(time.count()) / 1000; }

json links_down_document(const std::vector<workloads::LinkDown>& links) {
  json documents = json::array();
  for (const workloads::LinkDown& link : links) {
    documents.push_back({{"link", link.link},
                         {"outages", link.times},
                         {"from_us", microseconds(link.from)},
                         {"until_us", link.until ? json(microseconds(*link.until)) : json()},
                         {"share", link.share}});
  }
  return documents;
}

json bound_document(const Bound& bound) {
  json document = {{"resource", bound.by}, {"text", bound.text}};
  if (!bound.role.empty()) document["role"] = bound.role;
  if (!bound.busiest.empty()) document["busiest"] = bound.busiest;
  return document;
}

}  // namespace

void add_utilization(json& document, const Measurement& measurement) {
  const workloads::Utilization& use = measurement.utilization;
  if (const std::optional<Bound> bound = bound_of(measurement)) {
    document["bound_by"] = bound_document(*bound);
  }
  if (use.empty()) return;
  document["utilization"] = {{"cores", cores_document(use.cores)},
                             {"stations", stations_documents(use.stations)},
                             {"queue_pair_cache_misses", queue_pair_miss_share(measurement)}};
  if (!use.links_down.empty()) {
    document["utilization"]["links_down"] = links_down_document(use.links_down);
  }
  for (const workloads::RoleUse& role : use.roles) {
    document["utilization"]["roles"][txn::role_name(role.role)] = {
        {"nodes", role.nodes},
        {"cores", cores_document(role.cores)},
        {"stations", stations_documents(role.stations)}};
  }
}

}  // namespace verbena::experiments
