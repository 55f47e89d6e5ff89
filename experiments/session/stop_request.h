// Handles Ctrl-C as a request to end.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

namespace verbena::experiments {

/// While an object lives, the first SIGINT or SIGTERM sets its flag; a second one ends the process
/// at once. The code that is asked to stop must store a new `position` at least every
/// `patience_seconds`; otherwise the process prints a message and ends with kInterrupted, whatever
/// its threads do, since a spinning core checks no flag. Only one object may live per process. It
/// uses SIGALRM from the first signal on.
class StopRequest {
 public:
  static constexpr unsigned kPatienceSeconds = 10;
  /// Value of `position` when there is nobody left to wait for.
  static constexpr std::int64_t kNobody = INT64_MAX;

  explicit StopRequest(unsigned patience_seconds = kPatienceSeconds);
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  const std::atomic<bool>& flag() const;
  std::atomic<std::int64_t>& position() const;

 private:
  struct sigaction interrupt_ {};  // previous handlers
  struct sigaction terminate_ {};
  struct sigaction alarm_ {};
};

}  // namespace verbena::experiments
