// Ctrl-C that asks for an end instead of making one.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

namespace verbena::experiments {

/// While one lives, the first SIGINT or SIGTERM sets its flag; a second one ends the process at
/// once, as it would without. Where whoever was asked does not tell within `patience_seconds` that
/// he gets on, by another `position`, the process says so and ends with kInterrupted, whatever its
/// threads are in the midst of: a core that spins looks at no flag. One at a time per process,
/// which has SIGALRM from the first signal on.
class StopRequest {
 public:
  static constexpr unsigned kPatienceSeconds = 10;
  /// The value of `position` when nobody needs to be waited for any more.
  static constexpr std::int64_t kNobody = INT64_MAX;

  explicit StopRequest(unsigned patience_seconds = kPatienceSeconds);
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  const std::atomic<bool>& flag() const;
  std::atomic<std::int64_t>& position() const;

 private:
  struct sigaction interrupt_ {};  // what was there before
  struct sigaction terminate_ {};
  struct sigaction alarm_ {};
};

}  // namespace verbena::experiments
