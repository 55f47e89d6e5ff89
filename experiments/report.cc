// Peak memory as the kernel accounts for it.
#include "experiments/report.h"

#include <sys/resource.h>

namespace verbena::experiments {

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace verbena::experiments
