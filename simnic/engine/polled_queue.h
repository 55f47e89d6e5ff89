// A queue whose entries a core finds from certain times on.
#pragma once

#include "rdma/base/time.h"

namespace verbena::simnic {

/// The part of a queue that its polling core needs to know: when to look again.
struct PolledQueue {
  Picoseconds next_seen = kNeverPs;  ///< time from which its next entry is seen; kNeverPs: none
};

}  // namespace verbena::simnic
