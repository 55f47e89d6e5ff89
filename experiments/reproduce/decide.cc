// Which points, and for how long.
#include "experiments/reproduce/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "experiments/reproduce/again.h"

namespace verbena::experiments {
namespace {

/// By how much a round is longer than the one before.
constexpr std::uint32_t kLonger = 4;

/// Runs of a point that tell something of their scatter.
constexpr std::uint32_t kLeastRuns = 3;

/// A round measures the points that make up so much of a claim's variance, of that which can be
/// measured again.
constexpr double kShare = 0.8;

// A point of one of the figures.
struct PlaceOf {
  std::size_t figure;
  PointIndex point;
  auto key() const { return std::tuple(figure, point.series, point.point); }
  bool operator<(const PlaceOf& other) const { return key() < other.key(); }
};

// How far a point has got.
struct Progressed {
  std::uint32_t times = 1;  // as long as its figure says
  std::uint32_t runs = 1;
};

// A measurement of a round: a command, and whose it is.
struct Wanted {
  PlaceOf place;
  MeasuringCommand command;
  bool repeats;  // in addition to what there is, instead of in its place
};

class Rounds {
 public:
  Rounds(std::optional<std::uint32_t> within, Measuring& measuring)
      : within_(within), measuring_(measuring) {}

  // The measurements of the next one; nothing when it is over.
  std::deque<Wanted> next() {
    std::deque<Wanted> wanted;
    std::set<PlaceOf> chosen;
    for (std::size_t f = 0; f < measuring_.figures.size(); ++f) {
      const MeasuredFigure& figure = measuring_.figures[f];
      for (const ClaimVerdict& verdict : figure.verdicts) choose(f, verdict, chosen);
      if (figure.set_verdict) choose(f, *figure.set_verdict, chosen);
    }
    for (const PlaceOf& place : chosen) add(place, wanted);
    return wanted;
  }

 private:
  std::uint32_t limit_of(std::size_t f) const {
    if (within_) return *within_;
    const std::uint32_t own = measuring_.figures[f].figure->decide_within;
    return own == 0 ? kUsualDecision : own;
  }

  bool can_go_on(const PlaceOf& place, bool known) {
    const Progressed& progressed = progressed_[place];
    const std::uint32_t limit = limit_of(place.figure);
    const auto& result =
        measuring_.figures[place.figure].results[place.point.series][place.point.point];
    if (!result) return false;
    // Its interval is that of repeated runs, if there are.
    if (known && progressed.runs == 1) return progressed.times < limit;
    return progressed.runs < limit && limit > 1;
  }

  void choose(std::size_t f, const Judged& judgement, std::set<PlaceOf>& chosen) {
    const bool undecided = judgement.outcome == Standing::kUndecided;
    if (!undecided && !judgement.doubtful) return;
    std::vector<std::pair<PlaceOf, double>> can;
    double all = 0;
    for (const PointInfluence& influence : judgement.influences) {
      const PlaceOf place{
          f, find_point(*measuring_.figures[f].figure, influence.series, influence.at)};
      if (!can_go_on(place, influence.known)) continue;
      if (!undecided && influence.known) continue;
      if (!influence.known) unknown_.insert(place);
      can.emplace_back(place, influence.effect * influence.effect);
      all += can.back().second;
    }
    double covered = 0;
    for (const auto& [place, part] : can) {
      if (covered >= kShare * all) break;
      chosen.insert(place);
      covered += part;
    }
  }

  void add(const PlaceOf& place, std::deque<Wanted>& wanted) {
    const Figure& figure = *measuring_.figures[place.figure].figure;
    const FigurePoint& point = figure.series[place.point.series].points[place.point.point];
    Progressed& progressed = progressed_[place];
    const std::uint32_t limit = limit_of(place.figure);
    if (!unknown_.contains(place)) {
      progressed.times = std::min(limit, kLonger * progressed.times);
      wanted.push_back({place, prolonged(point, progressed.times), false});
      return;
    }
    const std::uint32_t runs =
        std::min(limit, progressed.runs == 1 ? kLeastRuns : kLonger * progressed.runs);
    for (; progressed.runs < runs; ++progressed.runs) {
      wanted.push_back({place, repeated(point, progressed.runs), true});
    }
  }

  std::optional<std::uint32_t> within_;
  Measuring& measuring_;
  std::map<PlaceOf, Progressed> progressed_;
  std::set<PlaceOf> unknown_;  // points that have no interval of their own
};

void take(const Wanted& wanted, PointResult result, Measuring& measuring) {
  MeasuredFigure& figure = measuring.figures[wanted.place.figure];
  const auto [s, p] = wanted.place.point;
  if (!wanted.repeats) {
    figure.results[s][p] = std::move(result);
    return;
  }
  if (figure.repeats.empty()) {
    for (const auto& series : figure.results) figure.repeats.emplace_back(series.size());
  }
  figure.repeats[s][p].push_back(std::move(result));
}

// Counts of a round beside those of before.
void add_counts(MeasuredPoints& round, MeasuredPoints& all) {
  all.different += round.different;
  all.reused += round.reused;
  all.finished += round.finished;
  all.signal = round.signal;
  std::move(round.failures.begin(), round.failures.end(), std::back_inserter(all.failures));
}

}  // namespace

void decide(std::optional<std::uint32_t> within, const PointMeasuring& how, const PointStore& store,
            const ProcessPool& pool, Measuring& measuring) {
  Rounds rounds(within, measuring);
  for (std::size_t round = 1;; ++round) {
    const std::deque<Wanted> wanted = rounds.next();
    if (wanted.empty()) return;
    std::vector<const MeasuringCommand*> commands;
    std::set<std::size_t> figures;
    for (const Wanted& one : wanted) {
      commands.push_back(&one.command);
      figures.insert(one.place.figure);
    }
    PointMeasuring again = how;
    again.name = fmt::format("undecided, round {}: ", round);
    MeasuredPoints points = measure_points(commands, again, store, pool);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (points.results[i]) take(wanted[i], std::move(*points.results[i]), measuring);
    }
    add_counts(points, measuring.points);
    if (points.signal != 0) return;
    for (const std::size_t figure : figures) judge_all(measuring.figures[figure]);
  }
}

}  // namespace verbena::experiments
