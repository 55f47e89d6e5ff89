// The names, as the layers that implement them tell.
#include "experiments/config/catalog.h"

#include "simnic/profile.h"
#include "txn/plan/plan.h"
#include "workloads/registry/registry.h"

namespace verbena::experiments {

std::vector<std::string> system_names() { return txn::plan_names(); }
std::vector<std::string> workload_names() { return workloads::workload_names(); }
std::vector<std::string> nic_names() { return simnic::built_in_profiles("nic"); }
std::vector<std::string> cpu_names() { return simnic::built_in_profiles("cpu"); }
std::string default_nic() { return "connectx-4"; }
std::string default_cpu() { return "e5-2650v4"; }

const std::vector<std::string>& bench_operations() {
  static const std::vector<std::string> operations = {
      "read", "write", "send", "rpc", "write-rpc", "cas", "faa", "multi-read", "multi-write"};
  return operations;
}

const std::vector<std::string>& explain_operations() {
  static const std::vector<std::string> operations = {"read", "write", "send", "cas", "faa"};
  return operations;
}

const std::vector<std::string>& list_topics() {
  static const std::vector<std::string> topics = {"systems", "plans", "keys"};
  return topics;
}

}  // namespace verbena::experiments
