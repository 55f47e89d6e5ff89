// Notices of the code on a core to observers that follow transactions through fibers, messages and
// requests.
#pragma once

#include <cstdint>

namespace verbena::rdma {

/// Kinds of notices, which tell what a fabric cannot see: on whose behalf the code runs. Each comes
/// with a number. See Core::note.
enum class Notice : std::uint8_t {
  kGoesOn,      ///< the code goes on as the fiber of this number, or, of kEventLoop, as none
  kReadies,     ///< the fiber of this number may go on, because of what the code deals with
  kAwake,       ///< the fiber of this number has slept long enough
  kComposed,    ///< the message at this address, to be posted now or later
  kRepeated,    ///< the message at this address is to be posted again, since nobody answers
  kMessage,     ///< it deals with the message that arrived at this address
  kCompletion,  ///< it deals with the completion of this wr_id
  kFree,        ///< the fiber has no transaction any more
  kBegun,       ///< it has begun one, which counts from this time on, in ns, and may have been due
  kMeasured,    ///< which was decided at this time, in ns, and is measured
  kForgotten,   ///< nothing that was measured until now counts
};

/// Instead of a fiber's number.
inline constexpr std::uint64_t kEventLoop = UINT32_MAX;

}  // namespace verbena::rdma
