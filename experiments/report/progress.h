// Progress of long work, for users at a terminal.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace verbena::experiments {

/// Progress of work at one moment.
struct ProgressText {
  std::string text;      ///< "12 % after 3 s, 22 s left"
  std::string stage;     ///< any word; it changes when the work enters another stage
  double fraction = -1;  ///< share of the work that is done; negative: unknown
};

/// Shows progress from construction to destruction. On a terminal (standard error), a thread
/// updates a line and wipes it at the end. Otherwise, if `lines` are asked for, it prints a line at
/// once, after 10 s, at the end, and at every further tenth of the work or new stage, but at most
/// one a second. Otherwise it shows nothing.
class Progress {
 public:
  /// Called by the progress thread several times a second.
  using Source = std::function<ProgressText()>;

  Progress(std::string what, Source source, bool lines);
  /// Shows progress of work of `total` parts.
  Progress(std::string what, std::int64_t total, bool lines);
  ~Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Number of parts that are done; the thread that does them stores it here. Negative, the initial
  /// value, means setting up.
  std::atomic<std::int64_t>& position() { return position_; }

 private:
  void show(const std::stop_token& stop) const;
  void tell(const std::stop_token& stop) const;

  std::string what_;
  std::atomic<std::int64_t> position_{-1};
  Source source_;
  std::jthread thread_;  // last, so that it ends first
};

/// Formats progress: "12 % after 3 s, 22 s left", without an estimate while it is too early, or
/// "setting up for 3 s" for a negative fraction.
std::string progress_text(double fraction, double elapsed_seconds);

/// Decides which of many progress texts become lines, see Progress.
class LineRule {
 public:
  /// True if the text at `seconds` after the first becomes a line.
  bool tells(const ProgressText& told, double seconds);

 private:
  bool told_ = false;
  int tenths_ = 0;
  std::string stage_;
  double last_ = 0;
};

}  // namespace verbena::experiments
