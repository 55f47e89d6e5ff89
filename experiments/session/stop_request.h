// Ctrl-C that asks for an end instead of making one.
#pragma once

#include <atomic>
#include <csignal>

namespace verbena::experiments {

/// While one lives, the first SIGINT or SIGTERM sets its flag; a second one ends the process at
/// once, as it would without. One at a time per process.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  const std::atomic<bool>& flag() const;

 private:
  struct sigaction interrupt_ {};  // what was there before
  struct sigaction terminate_ {};
};

}  // namespace verbena::experiments
