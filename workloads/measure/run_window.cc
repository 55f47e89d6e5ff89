// Looking at what has happened, and deciding.
#include "workloads/measure/run_window.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "workloads/measure/end_forecast.h"

namespace verbena::workloads {
namespace {

/// Width of the first intervals of a series that is open.
constexpr Nanoseconds kFirstWidth = 5 * kMicrosecond;

/// Intervals of the series after which it looks; then they are twice as wide.
constexpr std::int64_t kLooks[] = {180, 240};

/// Intervals that it looks before that, and that it leaves out: workers' clocks differ by less, so
/// that some may still commit in these.
constexpr std::int64_t kAhead = 4;

/// Number of times that a mean latency has to fit into the time that means are taken of.
constexpr double kLatencies = 20;

/// And how many times the age of what is in flight for longest.
constexpr std::int64_t kAges = 5;

/// How many times as long as it was when the means first were precise it has to be, and they still.
constexpr std::int64_t kConfirmed = 2;

/// Looks are so far apart that the one which finds the means precise comes that much too late.
constexpr double kBetweenLooks = 1.15;

Nanoseconds scaled(Nanoseconds time, double factor) {
  return Nanoseconds(static_cast<std::int64_t>(static_cast<double>(time.count()) * factor));
}

Nanoseconds ahead_of(Nanoseconds now, Nanoseconds width) { return now + width * kAhead; }

Nanoseconds width_of(const IntervalSeries& series) { return std::max(series.width(), kFirstWidth); }

bool is_long_enough(const IntervalSeries& series, const Precision& precision, Nanoseconds oldest) {
  const Nanoseconds length = series.width() * static_cast<std::int64_t>(series.counts().size());
  return length >= kAges * oldest && static_cast<double>(length.count()) >=
                                         kLatencies * precision.mean_latency_ns->estimate.mean;
}

bool has_means(const Precision& precision) {
  return precision.throughput_per_s && precision.mean_latency_ns;
}

bool begins_otherwise(const Precision& precision) {
  return has_means(precision) && (precision.throughput_per_s->course == Course::kBeginning ||
                                  precision.mean_latency_ns->course == Course::kBeginning);
}

bool is_changing(const JudgedMean& mean) { return mean.course == Course::kChanging; }

std::uint64_t commits_of(const IntervalSeries& series) {
  std::uint64_t commits = 0;
  for (const IntervalCounts& counts : series.counts()) commits += counts.committed;
  return commits;
}

// Factor by which `so_far` has to grow until it is `most`.
double growth_until(std::uint64_t so_far, std::uint64_t most) {
  return static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, so_far));
}

}  // namespace

RunWindow::RunWindow(std::optional<Nanoseconds> warm_up, std::optional<Nanoseconds> duration,
                     const PrecisionGoal& goal)
    : goal_(goal), duration_(duration), measuring_(warm_up.has_value()) {
  if (!warm_up) {
    from_ = until_ = goal_.longest;
    look_again(0, 0);
  } else {
    begin_at(*warm_up);
  }
}

IntervalSeries RunWindow::measured_series(Nanoseconds start) const {
  return duration_ ? IntervalSeries(start + from_, start + until_)
                   : IntervalSeries::open(start + from_, kFirstWidth);
}

IntervalSeries RunWindow::course_series(Nanoseconds start) const {
  return next_look_ == kNever ? IntervalSeries() : IntervalSeries::open(start, kFirstWidth);
}

void RunWindow::begin_at(Nanoseconds from) {
  measuring_ = true;
  from_ = from;
  precise_since_ = kNever;
  if (duration_) {
    until_ = from + *duration_;
    next_look_ = kNever;
  } else {
    until_ = std::max(goal_.longest, from + kFirstWidth * kLooks[0]);
    look_again(from, from);
  }
}

// The next look after `now` at a series that begins at `begin`.
void RunWindow::look_again(Nanoseconds now, Nanoseconds begin) {
  for (Nanoseconds width = kFirstWidth;; width += width) {
    for (const std::int64_t intervals : kLooks) {
      next_look_ = begin + width * (intervals - kAhead);
      if (next_look_ > now) return;
    }
  }
}

bool RunWindow::look(Nanoseconds now, const IntervalSeries& course, const IntervalSeries& measured,
                     Nanoseconds oldest, std::uint64_t memory_bytes) {
  assert(now >= next_look_);
  if (measuring_) return look_at_measured(now, course, measured, oldest, memory_bytes);
  if (is_half_spent(now, course, memory_bytes) || warm_up_is_over(now, course, oldest)) {
    begin_at(ahead_of(now, kFirstWidth));
    return true;
  }
  look_again(now, 0);
  return false;
}

bool RunWindow::is_half_spent(Nanoseconds now, const IntervalSeries& course,
                              std::uint64_t memory_bytes) const {
  return 2 * now >= goal_.longest || 2 * commits_of(course) >= goal_.most_commits ||
         2 * memory_bytes >= goal_.most_memory_bytes;
}

WindowEnd RunWindow::end_of(bool precise, std::uint64_t commits, std::uint64_t memory_bytes) const {
  if (precise) return WindowEnd::kPrecision;
  if (commits >= goal_.most_commits) return WindowEnd::kCommits;
  return memory_bytes >= goal_.most_memory_bytes ? WindowEnd::kMemory : WindowEnd::kTime;
}

bool RunWindow::warm_up_is_over(Nanoseconds now, const IntervalSeries& course,
                                Nanoseconds oldest) const {
  const IntervalSeries whole = course.closed(now - kAhead * width_of(course));
  const Precision precision = precision_of(whole);
  return has_means(precision) && is_long_enough(whole, precision, oldest) &&
         !is_changing(*precision.throughput_per_s) && !is_changing(*precision.mean_latency_ns);
}

bool RunWindow::look_at_measured(Nanoseconds now, const IntervalSeries& course,
                                 const IntervalSeries& measured, Nanoseconds oldest,
                                 std::uint64_t memory_bytes) {
  const Nanoseconds width = width_of(measured);
  const IntervalSeries whole = measured.closed(now - from_ - kAhead * width);
  const Precision precision = precision_of(whole);
  if (!is_half_spent(now, course, memory_bytes) && begins_otherwise(precision)) {
    begin_at(ahead_of(now, kFirstWidth));
    return true;
  }
  if (!is_precise(precision, goal_.half_width)) {
    precise_since_ = kNever;
  } else if (precise_since_ == kNever) {
    precise_since_ = now - from_;
  }
  const bool confirmed = (precise_since_ != kNever && now - from_ >= kConfirmed * precise_since_) ||
                         is_precise(precision, goal_.half_width / static_cast<double>(kConfirmed));
  ended_by_ = end_of(confirmed && is_long_enough(whole, precision, oldest), commits_of(course),
                     memory_bytes);
  if (ended_by_ != WindowEnd::kTime) {
    const std::int64_t intervals = (ahead_of(now, width) - from_) / width;
    until_ = std::min(until_, from_ + width * intervals);
    next_look_ = kNever;
    return true;
  }
  look_again(now, from_);
  return false;
}

EndForecast RunWindow::forecast(Nanoseconds now, const IntervalSeries& course,
                                const IntervalSeries& measured, Nanoseconds oldest,
                                std::uint64_t memory_bytes) const {
  if (next_look_ == kNever) return {.expected = until_, .latest = until_};
  if (duration_) {
    const Nanoseconds latest = goal_.longest / 2 + *duration_;
    return {.expected = std::min(std::max(now, next_look_) + *duration_, latest), .latest = latest};
  }
  const double by_commits = growth_until(commits_of(course), goal_.most_commits);
  const double by_memory = growth_until(memory_bytes, goal_.most_memory_bytes);
  const double by_time =
      static_cast<double>(goal_.longest.count()) / static_cast<double>(std::max(now, 1_ns).count());
  const Nanoseconds latest = scaled(now, std::min({by_commits, by_memory, by_time}));
  return {.expected = std::min(expected_end(now, course, measured, oldest), latest),
          .latest = latest};
}

// By widths alone it would be many times as long as it is, or a small part: of series that are
// short they say little.
Nanoseconds RunWindow::expected_end(Nanoseconds now, const IntervalSeries& course,
                                    const IntervalSeries& measured, Nanoseconds oldest) const {
  if (measuring_ && precise_since_ != kNever) {
    return std::max(now, from_ + precise_since_ * kConfirmed);
  }
  const Nanoseconds first_look = kFirstWidth * (kLooks[0] - kAhead);
  const Nanoseconds passed = measuring_ ? std::max(now - from_, 0_ns) : 0_ns;
  // A series that was measured for a short time only says less than what was before.
  const IntervalSeries& telling = passed > now / 2 ? measured : later_part(course);
  const Nanoseconds by_width =
      scaled(length_until_precise(telling, goal_.half_width), kConfirmed * kBetweenLooks);
  const Nanoseconds usual =
      std::max(passed, usual_length(now, commits_of(course), goal_.half_width));
  const Nanoseconds length =
      std::max({first_look, oldest * kAges, std::clamp(by_width, usual * 2 / 3, usual * 2)});
  const Nanoseconds begin =
      measuring_ ? from_ : std::max({scaled(now, kBetweenLooks), first_look, oldest * kAges});
  return std::max({now, next_look_, begin + length});
}

void RunWindow::end(Nanoseconds now) {
  if (now < until_) ended_by_ = WindowEnd::kTime;
  until_ = std::min(until_, now);
  from_ = std::min(from_, until_);
  next_look_ = kNever;
}

}  // namespace verbena::workloads
