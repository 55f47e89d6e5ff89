// Table of this project's PRISM interface.
#pragma once

#include "experiments/reproduce/figure/comparison.h"

namespace verbena::experiments {

/// Makes the table "chains": for each primitive of the PRISM paper's table 1 its possible flags,
/// then the number of flags, and sizes. All values come from rdma/chain.
Comparison chain_table();

}  // namespace verbena::experiments
