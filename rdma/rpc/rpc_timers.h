// Targets of RPC timers: the kind of owner, and its number.
#pragma once

#include <cstdint>

namespace verbena::rdma {

enum class TimerKind : std::uint32_t {
  kCall = 0,    ///< a call waits for its reply
  kResend = 1,  ///< notifications to a peer wait for acknowledgement
  kAck = 2,     ///< notifications of a peer are to be acknowledged
};

inline std::uint32_t timer_target(TimerKind kind, std::uint32_t number) {
  return static_cast<std::uint32_t>(kind) << 30 | number;
}
inline TimerKind timer_kind(std::uint32_t target) { return static_cast<TimerKind>(target >> 30); }
inline std::uint32_t timer_number(std::uint32_t target) { return target & 0x3fffffff; }

}  // namespace verbena::rdma
