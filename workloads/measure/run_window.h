// The time in which a run measures: asked for, or found out while it goes on.
#pragma once

#include <cstdint>
#include <optional>

#include "rdma/base/time.h"
#include "workloads/measure/interval_series.h"
#include "workloads/measure/precision.h"

namespace verbena::workloads {

/// Goal of a run that decides itself for how long it measures, and the limits at which it gives up.
struct PrecisionGoal {
  /// Half of the 95 % interval of throughput and mean latency, of the mean; of the aborts' share,
  /// of all attempts.
  double half_width = 0.01;
  Nanoseconds longest = kSecond;           ///< from the workers' start on
  std::uint64_t most_commits = 3'000'000;  ///< likewise; looked at now and then
};

/// The end of a run, in time since the workers' start.
struct EndForecast {
  Nanoseconds expected = 0;
  Nanoseconds latest = 0;  ///< when it gives up
};

/// The measured window of a run, in time since the worker's start. What is not asked for is found
/// out from the series of what has happened so far: measuring begins when throughput and mean
/// latency have come to rest (MSER-5, see steadiness.h; what was before is not measured at all),
/// begins again when what is measured shows a beginning of its own, and ends once the means are as
/// precise as they have to be. It looks at growing times, each a third or a half later than the one
/// before. A look that finds the means precise may be a lucky one, which takes what varies slowly
/// for what does not vary; so they have to be twice as precise, or precise until what was measured
/// is twice as long. It also has to be several times as long as the latencies, those included that
/// are not yet known since something waits for a time-out.
///
/// Beginning and end are always some microseconds ahead of the time at which they are decided, so
/// that workers whose clocks are a little ahead have measured nothing that does not belong to the
/// window. Belongs to one thread.
class RunWindow {
 public:
  /// `warm_up` and `duration`: nothing is to be found out.
  RunWindow(std::optional<Nanoseconds> warm_up, std::optional<Nanoseconds> duration,
            const PrecisionGoal& goal);

  Nanoseconds from() const { return from_; }
  /// The end; where it is not yet known, when the run gives up.
  Nanoseconds until() const { return until_; }

  /// When it wants to look next; kNever when all is decided.
  Nanoseconds next_look() const { return next_look_; }

  /// Tells whether the beginning of the window is known.
  bool measuring() const { return measuring_; }

  /// When the window will end, by what has happened until `now`: known where it was asked for, else
  /// a guess. Changes nothing. `oldest` as for look().
  EndForecast forecast(Nanoseconds now, const IntervalSeries& course,
                       const IntervalSeries& measured, Nanoseconds oldest) const;

  /// For what happens in the window, to a worker that started at `start`.
  IntervalSeries measured_series(Nanoseconds start) const;
  /// For what happens from `start` on; takes nothing when nothing is to be found out.
  IntervalSeries course_series(Nanoseconds start) const;

  /// Looks at what has happened to all workers until `now`, not before next_look(). True when
  /// from() or until() have changed.
  /// `oldest`: the age of the transaction that is in flight for longest.
  bool look(Nanoseconds now, const IntervalSeries& course, const IntervalSeries& measured,
            Nanoseconds oldest);

  /// True if it ends, or has ended, because the means are precise.
  bool precise() const { return precise_; }

  /// True if it ends, or has ended, because PrecisionGoal::most_commits were there before.
  bool out_of_commits() const { return out_of_commits_; }

  /// The run was asked to end at `now`, or did; nothing changes when the window was over by then.
  void end(Nanoseconds now);

 private:
  void begin_at(Nanoseconds from);
  Nanoseconds expected_end(Nanoseconds now, const IntervalSeries& course,
                           const IntervalSeries& measured, Nanoseconds oldest) const;
  /// Half of what may be spent is left for measuring.
  bool is_half_spent(Nanoseconds now, const IntervalSeries& course) const;
  bool warm_up_is_over(Nanoseconds now, const IntervalSeries& course, Nanoseconds oldest) const;
  bool look_at_measured(Nanoseconds now, const IntervalSeries& course,
                        const IntervalSeries& measured, Nanoseconds oldest);
  void look_again(Nanoseconds now, Nanoseconds begin);

  PrecisionGoal goal_;
  std::optional<Nanoseconds> duration_;
  Nanoseconds from_ = 0;
  Nanoseconds until_ = 0;
  Nanoseconds next_look_ = kNever;
  bool measuring_ = true;  // the beginning is known
  bool precise_ = false;
  bool out_of_commits_ = false;
  /// Time that it had measured when the means were first found as precise as they have been since;
  /// kNever: they are not.
  Nanoseconds precise_since_ = kNever;
};

}  // namespace verbena::workloads
