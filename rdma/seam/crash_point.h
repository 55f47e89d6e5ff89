// Point at which a node dies, for tests of how the others handle it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "rdma/base/time.h"
#include "rdma/base/types.h"

namespace verbena::rdma {

/// Makes a node die when one of its cores comes to `point` (Core::reach) for the `count`-th time.
/// On hardware its process is killed as by SIGKILL. In a simulation its cores never run again, and
/// its NICs send and answer nothing any more; what they have sent arrives. In chaos mode they still
/// send what the node had posted, as after the death of a process: of each queue pair up to the
/// first request that is lost or waits for a response, since no response comes any more. These
/// arrive up to `late` later than they would have, or than what was sent before on their queue
/// pair; datagrams arrive as always. Thread-safe.
struct CrashPoint {
  NodeId node = 0;
  std::string point;        ///< empty: none
  std::uint64_t count = 1;  ///< from 1
  Nanoseconds late = 0;

  /// Counts that a core has come to `reached`. Returns true if the node is to die now.
  bool comes(std::string_view reached) {
    return reached == point && came_.fetch_add(1, std::memory_order_relaxed) + 1 == count;
  }

  bool happened() const { return !point.empty() && came_.load(std::memory_order_relaxed) >= count; }

 private:
  std::atomic<std::uint64_t> came_{0};
};

}  // namespace verbena::rdma
