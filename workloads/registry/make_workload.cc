// The table of workloads.
#include "workloads/registry/make_workload.h"

#include <array>

#include "rdma/base/errors.h"
#include "workloads/tatp/tatp.h"
#include "workloads/tpcc/tpcc.h"
#include "workloads/tpce/tpce.h"

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

template <Tpcc::Mix mix>
std::unique_ptr<Workload> tpcc(std::uint32_t nodes, std::uint32_t workers,
                               const WorkloadOptions& options) {
  return std::make_unique<Tpcc>(nodes, workers, mix, options.tpcc);
}

std::unique_ptr<Workload> tpce(std::uint32_t nodes, std::uint32_t, const WorkloadOptions& options) {
  return std::make_unique<Tpce>(nodes, options.tpce);
}

std::unique_ptr<Workload> tatp(std::uint32_t nodes, std::uint32_t workers,
                               const WorkloadOptions& options) {
  return std::make_unique<Tatp>(nodes, workers, options.tatp);
}

constexpr std::array kWorkloads = {
    Entry{"smallbank", smallbank}, Entry{"tpcc-no", tpcc<Tpcc::Mix::kNewOrder>},
    Entry{"tpcc", tpcc<Tpcc::Mix::kFull>}, Entry{"tpce-cp", tpce}, Entry{"tatp", tatp}};

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  names.reserve(kWorkloads.size());
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
