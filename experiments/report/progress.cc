// One line on a terminal, rewritten several times a second.
#include "experiments/report/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <utility>

#include "experiments/config/units.h"

namespace verbena::experiments {

std::string open_progress_text(Nanoseconds position, double elapsed_seconds) {
  if (position < 0) return progress_text(-1, elapsed_seconds);
  return fmt::format("{} simulated after {:.0f} s",
                     format_duration(position / 1000 * std::int64_t{1000}), elapsed_seconds);
}

std::string progress_text(double fraction, double elapsed_seconds) {
  if (fraction < 0) return fmt::format("setting up for {:.0f} s", elapsed_seconds);
  fraction = std::min(fraction, 1.0);
  std::string text = fmt::format("{:.0f} % after {:.0f} s", 100 * fraction, elapsed_seconds);
  if (fraction > 0.01) {
    text += fmt::format(", {:.0f} s left", elapsed_seconds * (1 - fraction) / fraction);
  }
  return text;
}

Progress::Progress(std::string what, std::int64_t total) : what_(std::move(what)), total_(total) {
  if (isatty(STDERR_FILENO) != 1) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
}

void Progress::show(const std::stop_token& stop) const {
  using Clock = std::chrono::steady_clock;
  auto start = Clock::now();
  bool working = false;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    changed.wait_for(lock, stop, std::chrono::milliseconds(250), [] { return false; });
    const std::int64_t position = position_.load(std::memory_order_relaxed);
    // The estimate follows from the work alone.
    if (position >= 0 && !std::exchange(working, true)) start = Clock::now();
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    // Not by fmt, which throws when the terminal is gone.
    const std::string text =
        total_ == 0
            ? open_progress_text(Nanoseconds(position), elapsed)
            : progress_text(static_cast<double>(position) / static_cast<double>(total_), elapsed);
    std::fputs(fmt::format("\r\x1b[K{}: {}", what_, text).c_str(), stderr);
    std::fflush(stderr);
  }
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace verbena::experiments
