// The table of workloads.
#include "workloads/make_workload.h"

#include <array>

#include "rdma/seam/errors.h"

namespace verbena::workloads {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Workload> (*make)(std::uint32_t nodes, std::uint32_t workers,
                                    const WorkloadOptions& options);
};

std::unique_ptr<Workload> smallbank(std::uint32_t nodes, std::uint32_t workers,
                                    const WorkloadOptions& options) {
  return std::make_unique<SmallBank>(nodes, workers, options.smallbank);
}

constexpr std::array kWorkloads = {
    Entry{"smallbank", smallbank},
};

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kWorkloads) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Workload> make_workload(const std::string& name, std::uint32_t nodes,
                                        std::uint32_t workers, const WorkloadOptions& options) {
  std::string known;
  for (const Entry& entry : kWorkloads) {
    if (name == entry.name) return entry.make(nodes, workers, options);
    known += known.empty() ? entry.name : std::string(", ") + entry.name;
  }
  throw ConfigurationError("workload " + name + " is unknown; there are " + known);
}

}  // namespace verbena::workloads
