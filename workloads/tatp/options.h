// Parameters of TATP.
#pragma once

#include <cstdint>

namespace verbena::workloads {

/// Parameters that users may set; mix and distribution of subscribers are the standard's.
struct TatpOptions {
  std::uint64_t subscribers_per_worker = 100'000;
};

}  // namespace verbena::workloads
