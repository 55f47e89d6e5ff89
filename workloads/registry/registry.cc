// The table of workloads: one line each.
#include "workloads/registry/registry.h"

#include <algorithm>

#include "rdma/base/errors.h"
#include "rdma/base/text/nearest_name.h"
#include "workloads/smallbank/factory.h"
#include "workloads/stress/factory.h"
#include "workloads/tatp/factory.h"
#include "workloads/tpcc/factory.h"
#include "workloads/tpce/factory.h"
#include "workloads/ycsb/factory.h"

namespace verbena::workloads {
namespace {

struct Registration {
  const char* name;
  std::unique_ptr<WorkloadFactory> (*factory)();
};

// clang-format off
constexpr Registration kWorkloads[] = {
    {"smallbank", smallbank_factory},
    {"tpcc-no", tpcc_new_order_factory},
    {"tpcc", tpcc_factory},
    {"tpce-cp", tpce_factory},
    {"tatp", tatp_factory},
    {"ycsb", ycsb_factory},
    {"stress", stress_factory},
};
// clang-format on

std::vector<std::string> names_of_table() {
  std::vector<std::string> names;
  for (const Registration& workload : kWorkloads) names.emplace_back(workload.name);
  return names;
}

}  // namespace

const std::vector<std::string>& workload_names() {
  static const std::vector<std::string> names = names_of_table();
  return names;
}

std::unique_ptr<WorkloadFactory> workload_factory(const std::string& name) {
  const auto* found = std::ranges::find(kWorkloads, name, &Registration::name);
  if (found != std::end(kWorkloads)) return found->factory();
  std::string known;
  for (const std::string& other : workload_names()) {
    known += (known.empty() ? "" : ", ") + other;
  }
  throw ConfigurationError("workload " + name + " is unknown; there are " + known +
                           did_you_mean(name, workload_names()));
}

}  // namespace verbena::workloads
