// Notices of the code on a core to observers that follow transactions through fibers, messages and
// requests.
#pragma once

#include <cstdint>

namespace verbena::rdma {

/// Kinds of notices. They tell what a fabric cannot see: the fiber and transaction for which the
/// code runs. Each comes with a number. See Core::note.
enum class Notice : std::uint8_t {
  kGoesOn,      ///< the code goes on as the fiber of this number, or as none (kEventLoop)
  kReadies,     ///< the fiber of this number may go on, because of what the code handles
  kAwake,       ///< the fiber of this number has slept long enough
  kComposed,    ///< the message at this address, to be posted now or later
  kRepeated,    ///< the message at this address is to be posted again, since nobody answers
  kMessage,     ///< the code handles the message that arrived at this address
  kCompletion,  ///< the code handles the completion of this wr_id
  kFree,        ///< the fiber has no transaction any more
  kBegun,       ///< the fiber has begun one, which counts from this time on, in ns; perhaps earlier
                ///< than now
  kMeasured,    ///< it was decided at this time, in ns, and is measured
  kForgotten,   ///< nothing measured until now counts
};

/// Number in place of a fiber's: the event loop.
inline constexpr std::uint64_t kEventLoop = UINT32_MAX;

}  // namespace verbena::rdma
