// A handler that sets a flag and steps aside.
#include "experiments/session/stop_request.h"

namespace verbena::experiments {
namespace {

// Handlers have no other way to tell anybody.
std::atomic<bool> stop_requested =
    false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free);

void request_stop(int /*signal*/) {
  stop_requested.store(true, std::memory_order_relaxed);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

// What a shell or nohup made us ignore stays ignored.
void install(int signal, struct sigaction& before) {
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
}

}  // namespace

StopRequest::StopRequest() {
  stop_requested = false;
  install(SIGINT, interrupt_);
  install(SIGTERM, terminate_);
}

StopRequest::~StopRequest() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

const std::atomic<bool>& StopRequest::flag() const { return stop_requested; }

}  // namespace verbena::experiments
