// How far a long measurement is, for whoever watches a terminal.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "rdma/base/time.h"

namespace verbena::experiments {

/// While it lives, and if standard error is a terminal, a thread shows there how much of the work
/// is done and how long the rest will take, or that it is being set up; the line is wiped at the
/// end. Where it is none and lines are asked for, there is one whenever another tenth of the work
/// is done, or 30 s have passed. Otherwise nothing happens.
class Progress {
 public:
  /// `total` is the amount of work in any unit; 0: nobody knows, and the unit is the nanosecond.
  /// `position`, if not null, is read instead of a position of its own, and must outlive it.
  Progress(std::string what, std::int64_t total, bool lines = false,
           std::atomic<std::int64_t>* position = nullptr);
  ~Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Where the work is, in the unit of `total`; whoever does it stores here, relaxed. Negative, as
  /// it is first: still being set up.
  std::atomic<std::int64_t>& position() { return *position_; }

 private:
  /// Calls `visit` with the fraction and the time since the work began, several times a second.
  template <typename Visit>
  void watch(const std::stop_token& stop, Visit&& visit) const;
  double fraction_of(Nanoseconds position) const;
  std::string text_of(Nanoseconds position, double elapsed_seconds) const;
  void show(const std::stop_token& stop) const;
  void tell(const std::stop_token& stop) const;

  std::string what_;
  std::int64_t total_;
  std::atomic<std::int64_t> own_position_{-1};
  std::atomic<std::int64_t>* position_;
  std::jthread thread_;  // last, so that it ends first
};

/// "1200us simulated after 3 s".
std::string open_progress_text(Nanoseconds position, double elapsed_seconds);

/// "12 % after 3 s, 22 s left"; without the estimate while fraction or time say nothing yet.
/// "setting up for 3 s" for a negative fraction.
std::string progress_text(double fraction, double elapsed_seconds);

}  // namespace verbena::experiments
