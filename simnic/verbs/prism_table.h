// PRISM's vendor extension of verbs for simulated devices, as the projected NIC would have it.
#pragma once

#include "rdma/seam/prismdv.h"

namespace verbena::simnic {

const prismdv_table& sim_prism_table();

}  // namespace verbena::simnic
