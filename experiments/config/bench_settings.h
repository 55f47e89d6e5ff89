// Settings that only bench has.
#pragma once

#include <vector>

#include "experiments/config/setting.h"

namespace verbena::experiments {

/// In the order of help texts.
std::vector<Setting> bench_settings();

/// What they are when nothing was said. The operation, the fabric and the cluster's shape are there
/// already.
void set_bench_defaults(Options& options);

}  // namespace verbena::experiments
