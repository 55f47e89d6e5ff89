// The core workloads (B. Cooper et al.: Benchmarking cloud serving systems with YCSB, SoCC 2010).
#include "workloads/ycsb/mix.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "rdma/base/errors.h"

namespace verbena::workloads::ycsb {
namespace {

struct Core {
  const char* name;
  Mix mix;
};

// Read, update, insert, scan, read-modify-write.
constexpr Core kCores[] = {
    {"A", {{50, 50, 0, 0, 0}, Distribution::kZipfian}},
    {"B", {{95, 5, 0, 0, 0}, Distribution::kZipfian}},
    {"C", {{100, 0, 0, 0, 0}, Distribution::kZipfian}},
    {"D", {{95, 0, 5, 0, 0}, Distribution::kLatest}},
    {"E", {{0, 0, 5, 95, 0}, Distribution::kZipfian}},
    {"F", {{50, 0, 0, 0, 50}, Distribution::kZipfian}},
};

struct NamedDistribution {
  const char* name;
  Distribution distribution;
};

constexpr NamedDistribution kDistributions[] = {
    {"uniform", Distribution::kUniform},
    {"zipfian", Distribution::kZipfian},
    {"latest", Distribution::kLatest},
};

constexpr const char* kAutomatic = "auto";

[[noreturn]] void refuse(const std::string& what) { throw ConfigurationError("ycsb: " + what); }

template <typename Table>
std::string joined(const Table& table) {
  std::string names;
  for (const auto& entry : table) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

std::array<std::uint32_t, kOperations> replaced(const Mix& core, const YcsbOptions& options) {
  return {options.read_percent.value_or(core.of(Operation::kRead)),
          options.update_percent.value_or(core.of(Operation::kUpdate)),
          options.insert_percent.value_or(core.of(Operation::kInsert)),
          options.scan_percent.value_or(core.of(Operation::kScan)),
          options.read_modify_write_percent.value_or(core.of(Operation::kReadModifyWrite))};
}

}  // namespace

Operation Mix::draw(Random& random) const {
  std::uint64_t left = random.below(100);
  std::size_t operation = 0;
  while (left >= percent[operation]) left -= percent[operation++];
  return static_cast<Operation>(operation);
}

std::vector<std::string> core_names() {
  std::vector<std::string> names;
  for (const Core& core : kCores) names.emplace_back(core.name);
  return names;
}

std::vector<std::string> distribution_names() {
  std::vector<std::string> names = {kAutomatic};
  for (const NamedDistribution& entry : kDistributions) names.emplace_back(entry.name);
  return names;
}

Mix mix_of(const YcsbOptions& options) {
  const auto* core = std::ranges::find(kCores, options.core, &Core::name);
  if (core == std::end(kCores)) {
    refuse("core " + options.core + "; allowed are " + joined(kCores));
  }
  Mix mix = {.percent = replaced(core->mix, options), .distribution = core->mix.distribution};
  const std::uint32_t sum = std::accumulate(mix.percent.begin(), mix.percent.end(), 0U);
  if (sum != 100) {
    refuse(
        "workload.read_percent, update_percent, insert_percent, scan_percent and "
        "read_modify_write_percent are " +
        std::to_string(sum) + " together, with those of core workload " + options.core +
        "; allowed are 100");
  }
  if (options.distribution == kAutomatic) return mix;
  const auto* chosen =
      std::ranges::find(kDistributions, options.distribution, &NamedDistribution::name);
  if (chosen == std::end(kDistributions)) {
    refuse("distribution " + options.distribution + "; allowed are auto, " +
           joined(kDistributions));
  }
  mix.distribution = chosen->distribution;
  return mix;
}

}  // namespace verbena::workloads::ycsb
