// Parametric resampling: pairs of draws that are each other's mirror image, so that means stay.
#include "experiments/reproduce/judge/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>

namespace verbena::experiments {
namespace {

constexpr std::size_t kPairs = 1000;
constexpr std::size_t kDraws = 2 * kPairs;
/// Left out at each end.
constexpr std::size_t kTail = kDraws / 40;
/// Beyond that Student's distribution is the normal one.
constexpr double kManyDegrees = 1000;

std::uint64_t seed_of(const std::string& source) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char byte : source) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

// Deviations in half widths of the interval, one for each draw: 95 % of them are at most 1.
std::vector<double> deviations_of(const UncertainPoint& point) {
  const double freedom = point.interval->degrees_of_freedom;
  const bool normal = freedom > kManyDegrees;
  std::mt19937_64 random(seed_of(point.source));
  std::normal_distribution<double> gauss;
  std::student_t_distribution<double> student(normal ? 1 : freedom);
  std::vector<double> sizes(kPairs);
  for (double& size : sizes) size = std::abs(normal ? gauss(random) : student(random));
  std::vector<double> sorted = sizes;
  std::sort(sorted.begin(), sorted.end());
  const double half_width = sorted[kPairs - 1 - kTail];
  std::vector<double> deviations;
  deviations.reserve(kDraws);
  for (const double size : sizes) {
    const double deviation = random() % 2 == 0 ? size / half_width : -size / half_width;
    deviations.push_back(deviation);
    deviations.push_back(-deviation);
  }
  return deviations;
}

// A curve of which each point can be moved.
struct Moved {
  std::vector<UncertainPoint> points;
  std::vector<std::vector<double>> deviations;  // by point; empty where nothing is known

  explicit Moved(std::vector<UncertainPoint> all) : points(std::move(all)) {
    for (const UncertainPoint& point : points) {
      const bool drawn = point.interval && std::isfinite(point.point.y);
      deviations.push_back(drawn ? deviations_of(point) : std::vector<double>());
    }
  }

  // By so many half widths of its interval.
  double moved(std::size_t p, double deviation) const {
    const double y = points[p].point.y;
    if (!points[p].interval) return y * (1 + deviation * kSupposed);
    const QuantityInterval& interval = *points[p].interval;
    return y + deviation * (deviation < 0 ? y - interval.low : interval.high - y);
  }

  Curve measured() const {
    Curve curve;
    for (const UncertainPoint& point : points) curve.push_back(point.point);
    return curve;
  }

  Curve drawn(std::size_t draw) const {
    Curve curve = measured();
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (!deviations[p].empty()) curve[p].y = moved(p, deviations[p][draw]);
    }
    return curve;
  }
};

class Propagation {
 public:
  Propagation(const UncertainLookup& lookup, const Statistics& statistics)
      : lookup_(lookup), statistics_(statistics) {
    result_.values = compute([](const Moved& curve) { return curve.measured(); });
  }

  Propagated run() {
    draw();
    for (const auto& entry : curves_) {
      for (std::size_t p = 0; p < entry.second.points.size(); ++p) add_influence(entry, p);
    }
    const auto larger = [](const PointInfluence& a, const PointInfluence& b) {
      return a.effect > b.effect;
    };
    std::stable_sort(result_.influences.begin(), result_.influences.end(), larger);
    return std::move(result_);
  }

 private:
  using Key = std::pair<std::string, std::string>;  // series, quantity

  template <typename Take>
  std::vector<double> compute(const Take& take) {
    return statistics_([&](const std::string& series, const std::string& quantity) {
      const Key key(series, quantity);
      auto found = curves_.find(key);
      if (found == curves_.end()) {
        found = curves_.emplace(key, Moved(lookup_(series, quantity))).first;
      }
      return take(found->second);
    });
  }

  void draw() {
    const std::size_t count = result_.values.size();
    std::vector<std::vector<double>> drawn(count);
    for (std::size_t i = 0; i < kDraws; ++i) {
      const auto values = compute([&](const Moved& curve) { return curve.drawn(i); });
      if (values[0] >= 0) result_.positive += 1.0 / kDraws;
      for (std::size_t s = 0; s < count; ++s) {
        if (std::isfinite(values[s])) drawn[s].push_back(values[s]);
      }
    }
    for (std::size_t s = 0; s < count; ++s) {
      result_.intervals.push_back(interval(result_.values[s], std::move(drawn[s])));
    }
  }

  static QuantityInterval interval(double value, std::vector<double> drawn) {
    if (drawn.size() != kDraws || !std::isfinite(value)) {
      const double unknown = std::numeric_limits<double>::quiet_NaN();
      return {.low = unknown, .high = unknown};
    }
    std::sort(drawn.begin(), drawn.end());
    const double low = drawn[kTail];
    const double high = drawn[kDraws - 1 - kTail];
    return {.low = std::min(low, 2 * value - high), .high = std::max(high, 2 * value - low)};
  }

  // Each point alone, to either end of its interval.
  void add_influence(const std::pair<const Key, Moved>& entry, std::size_t p) {
    const Moved& curve = entry.second;
    double effect = 0;
    for (const double deviation : {-1.0, 1.0}) {
      const auto values = compute([&](const Moved& other) {
        Curve moved = other.measured();
        if (&other == &curve) moved[p].y = curve.moved(p, deviation);
        return moved;
      });
      const double change = std::abs(values[0] - result_.values[0]);
      if (std::isfinite(change)) effect = std::max(effect, change);
    }
    const bool known = curve.points[p].interval.has_value();
    if (effect == 0) return;
    result_.influences.push_back({.series = entry.first.first,
                                  .at = curve.points[p].point.at,
                                  .known = known,
                                  .effect = effect});
  }

  const UncertainLookup& lookup_;
  const Statistics& statistics_;
  std::map<Key, Moved> curves_;
  Propagated result_;
};

}  // namespace

Propagated propagate(const UncertainLookup& lookup, const Statistics& statistics) {
  return Propagation(lookup, statistics).run();
}

}  // namespace verbena::experiments
