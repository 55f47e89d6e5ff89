// The measured window of a run: given, or determined during the run.
#pragma once

#include <cstdint>
#include <optional>

#include "rdma/base/time.h"
#include "workloads/measure/interval_series.h"
#include "workloads/measure/precision.h"

namespace verbena::workloads {

/// Precision goal of a run that determines its own length, and its limits.
struct PrecisionGoal {
  /// Half the 95 % interval: relative to the mean for throughput and mean latency, absolute for the
  /// aborts' share.
  double half_width = 0.01;
  Nanoseconds longest = kSecond;           ///< from the workers' start on
  std::uint64_t most_commits = 3'000'000;  ///< from the workers' start on; checked now and then
  std::uint64_t most_memory_bytes = UINT64_MAX;  ///< of what nodes have touched; likewise
};

/// Reason for the end of a window.
enum class WindowEnd {
  kTime,       ///< the given time has passed, or the longest
  kPrecision,  ///< the means are precise
  kCommits,    ///< PrecisionGoal::most_commits
  kMemory,     ///< PrecisionGoal::most_memory_bytes
};

/// End of a run, in time since the workers' start.
struct EndForecast {
  Nanoseconds expected = 0;
  Nanoseconds latest = 0;  ///< when the run gives up
};

/// The measured window of a run, in time since the workers' start. Parts that are not given are
/// determined from the series so far. Measuring begins when throughput and mean latency have come
/// to rest (MSER-5, see steadiness.h); what was before is not measured. It begins again when the
/// measured series shows a beginning of its own. It ends once the means are as precise as the goal
/// asks.
///
/// The window looks at the series at growing times, each a third or a half later than the one
/// before. A look may find means precise by luck, when slow variation does not show yet. So means
/// have to be twice as precise, or stay precise until the measured time has doubled. The measured
/// time must also be several times the latencies, including those still unknown because of a
/// time-out.
///
/// Beginning and end are set some microseconds ahead of the current time, so that workers whose
/// clocks are slightly ahead have not measured outside of the window. Belongs to one thread.
class RunWindow {
 public:
  /// Given values of `warm_up` and `duration` are not determined.
  RunWindow(std::optional<Nanoseconds> warm_up, std::optional<Nanoseconds> duration,
            const PrecisionGoal& goal);

  Nanoseconds from() const { return from_; }
  /// The end; while it is unknown, the time when the run gives up.
  Nanoseconds until() const { return until_; }

  /// Time of the next look(); kNever when everything is decided.
  Nanoseconds next_look() const { return next_look_; }

  /// True if the beginning of the window is known.
  bool measuring() const { return measuring_; }

  /// Forecasts the window's end from the series until `now`; exact where the end was given. Changes
  /// nothing. `oldest` and `memory_bytes` are as for look().
  EndForecast forecast(Nanoseconds now, const IntervalSeries& course,
                       const IntervalSeries& measured, Nanoseconds oldest,
                       std::uint64_t memory_bytes) const;

  /// Makes the series of the window for a worker that started at `start`.
  IntervalSeries measured_series(Nanoseconds start) const;
  /// Makes the series of all that happens from `start` on; it counts nothing when nothing is to be
  /// determined.
  IntervalSeries course_series(Nanoseconds start) const;

  /// Looks at the series of all workers until `now`, not before next_look(). Returns true when
  /// from() or until() have changed. `oldest` is the age of the oldest transaction in flight,
  /// `memory_bytes` the memory that the nodes have taken.
  bool look(Nanoseconds now, const IntervalSeries& course, const IntervalSeries& measured,
            Nanoseconds oldest, std::uint64_t memory_bytes);

  /// Reason why the window ends or has ended.
  WindowEnd ended_by() const { return ended_by_; }

  /// Ends the run at `now`. Changes nothing if the window was over by then.
  void end(Nanoseconds now);

 private:
  void begin_at(Nanoseconds from);
  Nanoseconds expected_end(Nanoseconds now, const IntervalSeries& course,
                           const IntervalSeries& measured, Nanoseconds oldest) const;
  /// True if half of the allowed time, commits or memory is used up; the rest is left for
  /// measuring.
  bool is_half_spent(Nanoseconds now, const IntervalSeries& course,
                     std::uint64_t memory_bytes) const;
  bool warm_up_is_over(Nanoseconds now, const IntervalSeries& course, Nanoseconds oldest) const;
  bool look_at_measured(Nanoseconds now, const IntervalSeries& course,
                        const IntervalSeries& measured, Nanoseconds oldest,
                        std::uint64_t memory_bytes);
  WindowEnd end_of(bool precise, std::uint64_t commits, std::uint64_t memory_bytes) const;
  void look_again(Nanoseconds now, Nanoseconds begin);

  PrecisionGoal goal_;
  std::optional<Nanoseconds> duration_;
  Nanoseconds from_ = 0;
  Nanoseconds until_ = 0;
  Nanoseconds next_look_ = kNever;
  bool measuring_ = true;  // the beginning is known
  WindowEnd ended_by_ = WindowEnd::kTime;
  /// Measured time when the means became as precise as they have been since; kNever: they are not.
  Nanoseconds precise_since_ = kNever;
};

}  // namespace verbena::workloads
