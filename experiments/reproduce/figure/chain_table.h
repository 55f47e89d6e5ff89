// PRISM's interface as it is here.
#pragma once

#include "experiments/reproduce/figure/comparison.h"

namespace verbena::experiments {

/// The table "chains": for each primitive of the PRISM paper's table 1 the flags that it may have,
/// then how many flags there are, and sizes. All of it is asked of rdma/chain.
Comparison chain_table();

}  // namespace verbena::experiments
