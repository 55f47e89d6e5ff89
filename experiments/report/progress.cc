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

#include "experiments/config/keys/units.h"

namespace verbena::experiments {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

std::string open_progress_text(Nanoseconds position, double elapsed_seconds) {
  if (position < 0) return progress_text(-1, elapsed_seconds);
  if (position == kNever) return fmt::format("at its end after {:.0f} s", elapsed_seconds);
  return fmt::format("{} simulated after {:.0f} s",
                     format_duration(position / 1000 * std::int64_t{1000}), elapsed_seconds);
}

std::string progress_text(double fraction, double elapsed_seconds) {
  if (fraction < 0) return fmt::format("setting up for {:.0f} s", elapsed_seconds);
  fraction = std::min(fraction, 1.0);
  std::string text = fmt::format("{:.0f} % after {:.0f} s", 100 * fraction, elapsed_seconds);
  constexpr double kTooShort = 1;
  if (fraction > 0.01 && elapsed_seconds >= kTooShort) {
    text += fmt::format(", {:.0f} s left", elapsed_seconds * (1 - fraction) / fraction);
  }
  return text;
}

Progress::Progress(std::string what, std::int64_t total, bool lines,
                   std::atomic<std::int64_t>* position)
    : what_(std::move(what)),
      total_(total),
      position_(position != nullptr ? position : &own_position_) {
  if (isatty(STDERR_FILENO) == 1) {
    thread_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
  } else if (lines) {
    thread_ = std::jthread([this](const std::stop_token& stop) { tell(stop); });
  }
}

template <typename Visit>
void Progress::watch(const std::stop_token& stop, Visit&& visit) const {
  auto start = Clock::now();
  bool working = false;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    changed.wait_for(lock, stop, std::chrono::milliseconds(250), [] { return false; });
    const std::int64_t position = position_->load(std::memory_order_relaxed);
    // The estimate follows from the work alone.
    if (position >= 0 && !std::exchange(working, true)) start = Clock::now();
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    visit(Nanoseconds(position), elapsed);
  }
}

double Progress::fraction_of(Nanoseconds position) const {
  return static_cast<double>(position.count()) / static_cast<double>(total_);
}

std::string Progress::text_of(Nanoseconds position, double elapsed_seconds) const {
  return total_ == 0 ? open_progress_text(position, elapsed_seconds)
                     : progress_text(fraction_of(position), elapsed_seconds);
}

void Progress::show(const std::stop_token& stop) const {
  watch(stop, [this](Nanoseconds position, double elapsed) {
    // Not by fmt, which throws when the terminal is gone.
    std::fputs(fmt::format("\r\x1b[K{}: {}", what_, text_of(position, elapsed)).c_str(), stderr);
    std::fflush(stderr);
  });
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

void Progress::tell(const std::stop_token& stop) const {
  int tenths = 0;
  auto last = Clock::now();
  watch(stop, [&](Nanoseconds position, double elapsed) {
    const int now = total_ == 0 ? 0 : static_cast<int>(10 * fraction_of(position));
    if (now <= tenths && Clock::now() - last < std::chrono::seconds(30)) return;
    tenths = std::max(tenths, now);
    last = Clock::now();
    std::fputs(fmt::format("verbena: {}: {}\n", what_, text_of(position, elapsed)).c_str(), stderr);
  });
}

}  // namespace verbena::experiments
