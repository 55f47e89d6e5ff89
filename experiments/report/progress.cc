// One line on a terminal, rewritten several times a second.
#include "experiments/report/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <utility>

namespace verbena::experiments {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Calls `visit` several times a second, and once more at the end.
template <typename Visit>
void watch(const std::stop_token& stop, Visit&& visit) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    changed.wait_for(lock, stop, std::chrono::milliseconds(250), [] { return false; });
    visit();
  }
}

// The part of a line that fits the terminal: a longer one could not be wiped.
std::string fitting(std::string line) {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return line;
  return line.substr(0, std::size_t{size.ws_col} - 1);
}

// The estimate follows from the work alone, and not from what was set up before.
Progress::Source count_of(const std::atomic<std::int64_t>& position, std::int64_t total) {
  return [&position, total, start = Clock::now(), working = false]() mutable {
    const std::int64_t now = position.load(std::memory_order_relaxed);
    if (now >= 0 && !std::exchange(working, true)) start = Clock::now();
    const double fraction = static_cast<double>(now) / static_cast<double>(total);
    return ProgressText{.text = progress_text(fraction, seconds_since(start)),
                        .stage = now < 0 ? "setting up" : "working",
                        .fraction = fraction};
  };
}

}  // namespace

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

bool LineRule::tells(const ProgressText& told, double seconds) {
  constexpr double kAtLeast = 1;
  constexpr double kAtMost = 10;
  const int tenths = static_cast<int>(10 * std::clamp(told.fraction, 0.0, 1.0));
  const bool is_new = !told_ || tenths > tenths_ || told.stage != stage_;
  const double passed = seconds - last_;
  const bool is_late = told_ && passed < (tenths == 10 ? 0 : kAtLeast);
  if (is_late || (!is_new && passed < kAtMost)) return false;
  told_ = true;
  tenths_ = std::max(tenths_, tenths);
  stage_ = told.stage;
  last_ = seconds;
  return true;
}

Progress::Progress(std::string what, Source source, bool lines)
    : what_(std::move(what)), source_(std::move(source)) {
  if (isatty(STDERR_FILENO) == 1) {
    thread_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
  } else if (lines) {
    thread_ = std::jthread([this](const std::stop_token& stop) { tell(stop); });
  }
}

Progress::Progress(std::string what, std::int64_t total, bool lines)
    : Progress(std::move(what), count_of(position_, total), lines) {}

void Progress::show(const std::stop_token& stop) const {
  watch(stop, [this] {
    // Not by fmt, which throws when the terminal is gone.
    const std::string line = fitting(fmt::format("{}: {}", what_, source_().text));
    std::fputs(fmt::format("\r\x1b[K{}", line).c_str(), stderr);
    std::fflush(stderr);
  });
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

void Progress::tell(const std::stop_token& stop) const {
  const Clock::time_point begin = Clock::now();
  LineRule rule;
  watch(stop, [&] {
    const ProgressText told = source_();
    if (!rule.tells(told, seconds_since(begin))) return;
    std::fputs(fmt::format("verbena: {}: {}\n", what_, told.text).c_str(), stderr);
  });
}

}  // namespace verbena::experiments
