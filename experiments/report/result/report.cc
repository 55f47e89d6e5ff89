// Peak memory as the kernel accounts for it, and sums of counters.
#include "experiments/report/result/report.h"

#include <sys/resource.h>

namespace verbena::experiments {

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::uint64_t verbs_of(const std::map<std::string, std::uint64_t>& nic_counters) {
  std::uint64_t verbs = 0;
  for (const auto& [name, count] : nic_counters) {
    if (name.starts_with("verbs.") && name != "verbs.receive") verbs += count;
  }
  return verbs;
}

}  // namespace verbena::experiments
