// The verbs table that libibverbs itself implements.
#pragma once

#include "rdma/seam/verbs_table.h"

namespace verbena::rdma {

/// Calls the system's libibverbs, hence its providers and the kernel. Constant, valid for ever.
const VerbsTable& libibverbs_table();

}  // namespace verbena::rdma
