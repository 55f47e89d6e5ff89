// How far long work is, for whoever watches a terminal.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace verbena::experiments {

/// News of work at one moment.
struct ProgressText {
  std::string text;      ///< "12 % after 3 s, 22 s left"
  std::string stage;     ///< any word that is another one when the work has come to something else
  double fraction = -1;  ///< of the work that is done; negative: nobody knows
};

/// While it lives, and if standard error is a terminal, a thread shows there how far work is; the
/// line is wiped at the end. Where it is none and lines are asked for, there is one at once, one
/// whenever another tenth of the work is done or it has come to another stage (but at most one a
/// second), one when 10 s have passed, and one at the end. Otherwise nothing happens.
class Progress {
 public:
  /// Called by that thread, several times a second.
  using Source = std::function<ProgressText()>;

  Progress(std::string what, Source source, bool lines);
  /// Progress of work of `total` parts.
  Progress(std::string what, std::int64_t total, bool lines);
  ~Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// How many of the parts are done; whoever does them stores here. Negative, as it is first: still
  /// being set up.
  std::atomic<std::int64_t>& position() { return position_; }

 private:
  void show(const std::stop_token& stop) const;
  void tell(const std::stop_token& stop) const;

  std::string what_;
  std::atomic<std::int64_t> position_{-1};
  Source source_;
  std::jthread thread_;  // last, so that it ends first
};

/// "12 % after 3 s, 22 s left"; without the estimate while fraction or time say nothing yet.
/// "setting up for 3 s" for a negative fraction.
std::string progress_text(double fraction, double elapsed_seconds);

/// Decides which of many texts become lines, see Progress.
class LineRule {
 public:
  /// True if news that come `seconds` after the first become a line.
  bool tells(const ProgressText& told, double seconds);

 private:
  bool told_ = false;
  int tenths_ = 0;
  std::string stage_;
  double last_ = 0;
};

}  // namespace verbena::experiments
