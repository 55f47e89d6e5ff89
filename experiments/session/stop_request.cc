// A handler that sets a flag and steps aside, and one that comes when nobody heeds it.
#include "experiments/session/stop_request.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace verbena::experiments {
namespace {

constexpr int kInterruptedExit = 130;  // report/exit_code.h: kInterrupted

// Handlers have no other way to tell anybody, or to know.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> stop_requested = false;
std::atomic<std::int64_t> position_now = -1;
std::atomic<std::int64_t> position_before = -1;
std::atomic<unsigned> patience = StopRequest::kPatienceSeconds;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::atomic<unsigned>::is_always_lock_free);

// Only what handlers may call.
void look_after(int /*signal*/) {
  constexpr std::string_view kMessage =
      "verbena: interrupted; no transaction came to its end since, so nothing is told\n";
  const std::int64_t position = position_now.load(std::memory_order_relaxed);
  const std::int64_t before = position_before.exchange(position, std::memory_order_relaxed);
  if (position == before && position != StopRequest::kNobody) {
    static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
    _exit(kInterruptedExit);
  }
  alarm(patience.load(std::memory_order_relaxed));
}

void request_stop(int /*signal*/) {
  const int error = errno;
  stop_requested.store(true, std::memory_order_relaxed);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  position_before.store(position_now.load(std::memory_order_relaxed), std::memory_order_relaxed);
  struct sigaction action {};
  action.sa_handler = look_after;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  alarm(patience.load(std::memory_order_relaxed));
  errno = error;
}

// Leaves signals ignored that a shell or nohup made us ignore.
void install(int signal, struct sigaction& before) {
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
}

}  // namespace

StopRequest::StopRequest(unsigned patience_seconds) {
  stop_requested = false;
  patience = patience_seconds;
  position_now = -1;
  sigaction(SIGALRM, nullptr, &alarm_);
  install(SIGINT, interrupt_);
  install(SIGTERM, terminate_);
}

StopRequest::~StopRequest() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
  if (!stop_requested) return;
  alarm(0);
  sigaction(SIGALRM, &alarm_, nullptr);
}

const std::atomic<bool>& StopRequest::flag() const { return stop_requested; }
std::atomic<std::int64_t>& StopRequest::position() const { return position_now; }

}  // namespace verbena::experiments
