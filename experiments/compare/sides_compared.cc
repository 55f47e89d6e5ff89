// Matching places, changes of their quantities, and the verdict on all of them.
#include "experiments/compare/sides_compared.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/config/keys/units.h"
#include "experiments/points/quantity.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

using Runs = std::vector<const PointResult*>;
using ValuesOfPlace = std::map<std::string, std::string>;
using Places = std::vector<std::pair<ValuesOfPlace, Runs>>;

Places places_of(const ComparedSide& side) {
  Places places;
  for (const PointResult& result : side.results) {
    ValuesOfPlace values = result.values;
    values.erase("seed");
    auto place = std::find_if(places.begin(), places.end(),
                              [&](const auto& other) { return other.first == values; });
    if (place == places.end()) place = places.insert(places.end(), {values, {}});
    place->second.push_back(&result);
  }
  return places;
}

// The partner of each of `before` in `after`, or null: with the same values or, where there is
// none, on files of the same contents, or else of the same names.
std::vector<const Places::value_type*> partners_of(const ComparedSide& before, const Places& first,
                                                   const ComparedSide& after,
                                                   const Places& second) {
  using Meaning = std::string(const ComparedSide&, const std::string&, const std::string&);
  constexpr Meaning* kMeanings[] = {
      [](const ComparedSide&, const std::string&, const std::string& value) { return value; },
      [](const ComparedSide& side, const std::string& key, const std::string& value) {
        return side.by_contents(key, value);
      },
      [](const ComparedSide&, const std::string& key, const std::string& value) {
        return ComparedSide::by_names(key, value);
      }};
  std::vector<const Places::value_type*> partners(first.size());
  std::set<const Places::value_type*> taken;
  for (Meaning* const meaning : kMeanings) {
    const auto meant = [&](const ComparedSide& side, ValuesOfPlace values) {
      for (auto& [key, value] : values) value = meaning(side, key, value);
      return values;
    };
    std::multimap<ValuesOfPlace, const Places::value_type*> others;
    for (const auto& other : second) {
      if (!taken.contains(&other)) others.emplace(meant(after, other.first), &other);
    }
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (partners[i] != nullptr) continue;
      const auto other = others.find(meant(before, first[i].first));
      if (other == others.end()) continue;
      partners[i] = other->second;
      taken.insert(other->second);
      others.erase(other);
    }
  }
  return partners;
}

// Nothing of a single one whose interval leaves out what other seeds would change.
std::optional<SampledMean> chance_in(const Runs& runs, const std::string& name) {
  if (runs.size() == 1 && runs.front()->of_its_seed) return std::nullopt;
  return sampled(runs, name);
}

ComparedQuantity compare_quantity(const std::string& name, const Runs& before, const Runs& after,
                                  bool judged) {
  ComparedQuantity quantity{.name = name,
                            .before = mean_quantity(before, name),
                            .after = mean_quantity(after, name),
                            .change = {},
                            .judged = judged};
  const auto first = chance_in(before, name);
  const auto second = chance_in(after, name);
  if (!first || !second) return quantity;
  if (quantity.is_share()) {
    quantity.change = absolute_change(*first, *second);
  } else if (first->mean > 0 && second->mean > 0) {
    quantity.change = relative_change(*first, *second);
  }
  return quantity;
}

double committed(const PointResult& run) { return run.attempts - run.aborted; }

std::vector<ComparedPhase> compare_phases(const Runs& before, const Runs& after) {
  std::vector<ComparedPhase> phases;
  std::set<std::string> names;
  for (const Runs* runs : {&before, &after}) {
    for (const PointResult* run : *runs) {
      for (const auto& phase : run->phases) names.insert(phase.first);
    }
  }
  const auto time_in = [](const Runs& runs, const std::string& name) {
    double sum = 0;
    for (const PointResult* run : runs) {
      const auto phase = run->phases.find(name);
      if (phase == run->phases.end() || phase->second.count == 0) continue;
      sum += phase->second.mean_us * phase->second.count / committed(*run);
    }
    return sum / static_cast<double>(runs.size());
  };
  ComparedPhase rest{.name = "rest",
                     .before_us = mean_quantity(before, "mean"),
                     .after_us = mean_quantity(after, "mean")};
  const auto is_after = [](const Runs& runs, const std::string& name) {
    return std::ranges::any_of(runs, [&](const PointResult* run) {
      const auto phase = run->phases.find(name);
      return phase != run->phases.end() && phase->second.after_latency;
    });
  };
  for (const std::string& name : names) {
    phases.push_back({.name = name,
                      .before_us = time_in(before, name),
                      .after_us = time_in(after, name),
                      .after_latency = is_after(before, name) || is_after(after, name)});
    if (!is_after(before, name)) rest.before_us -= phases.back().before_us;
    if (!is_after(after, name)) rest.after_us -= phases.back().after_us;
  }
  if (names.empty()) return phases;
  std::stable_sort(phases.begin(), phases.end(), [](const auto& a, const auto& b) {
    return std::abs(a.after_us - a.before_us) > std::abs(b.after_us - b.before_us);
  });
  phases.push_back(rest);
  return phases;
}

// More of what is not steady makes it no steadier.
bool is_unsteady(const Runs& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const PointResult* run) { return !run->steady; });
}

// All that was measured, in an order that does not depend on that of the runs.
std::vector<std::string_view> contents_of(const Runs& runs) {
  std::vector<std::string_view> contents;
  contents.reserve(runs.size());
  for (const PointResult* run : runs) contents.emplace_back(run->measured);
  std::ranges::sort(contents);
  return contents;
}

// The same trace, of documents that do not tell the same of it, as those of other versions.
bool are_of_one_trace(const Runs& before, const Runs& after,
                      const std::vector<ComparedQuantity>& quantities) {
  // Zeros are of runs that are not repeatable.
  const bool single = before.size() == 1 && after.size() == 1 && before.front()->values.empty() &&
                      after.front()->values.empty();
  // The same run may have been measured in different windows.
  const bool same = std::ranges::all_of(quantities, [](const ComparedQuantity& quantity) {
    return quantity.before == quantity.after ||
           (std::isnan(quantity.before) && std::isnan(quantity.after));
  });
  return single && same && before.front()->trace_digest == after.front()->trace_digest &&
         before.front()->trace_digest.find_first_not_of('0') != std::string::npos;
}

ComparedPlace compare_place(const ValuesOfPlace& values, const Runs& before, const Runs& after) {
  ComparedPlace place{.values = values,
                      .runs_before = before.size(),
                      .runs_after = after.size(),
                      .unsteady = is_unsteady(before) || is_unsteady(after),
                      .identical = false,
                      .quantities = {},
                      .phases = compare_phases(before, after)};
  for (const char* name : {"throughput", "mean", "abort_rate"}) {
    place.quantities.push_back(compare_quantity(name, before, after, true));
  }
  for (const char* name : {"p50", "p99"}) {
    place.quantities.push_back(compare_quantity(name, before, after, false));
  }
  place.identical = contents_of(before) == contents_of(after) ||
                    are_of_one_trace(before, after, place.quantities);
  return place;
}

// How much worse, in the unit of the change.
double worsening(const ComparedQuantity& quantity) {
  return quantity.name == "throughput" ? -quantity.change->by : quantity.change->by;
}

// How much worse is no harm, in the same unit.
double limit_of(const ComparedQuantity& quantity, double tolerance) {
  if (quantity.is_share()) return tolerance;
  return quantity.name == "throughput" ? -std::log1p(-tolerance) : std::log1p(tolerance);
}

// How probable it is that chance makes of what is just tolerated what it is.
double probability_beyond(const ComparedQuantity& quantity, double tolerance) {
  const double limit = limit_of(quantity, tolerance);
  if (worsening(quantity) <= limit) return 1;
  return quantity.change->probability(quantity.name == "throughput" ? -limit : limit);
}

void judge_all(SidesCompared& compared) {
  std::vector<ComparedQuantity*> judged;
  std::vector<double> changed;
  std::vector<double> beyond;
  for (ComparedPlace& place : compared.places) {
    for (ComparedQuantity& quantity : place.quantities) {
      if (place.identical) quantity.judgement = Judgement::kSame;
      if (place.identical || !quantity.judged || !quantity.change) continue;
      judged.push_back(&quantity);
      changed.push_back(quantity.change->probability());
      beyond.push_back(probability_beyond(quantity, compared.tolerance));
    }
  }
  compared.judged = judged.size();
  const std::vector<bool> differs = significant(changed);
  const std::vector<bool> too_much = significant(beyond);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    judged[i]->judgement = too_much[i]                 ? Judgement::kTooMuchWorse
                           : !differs[i]               ? Judgement::kSame
                           : worsening(*judged[i]) > 0 ? Judgement::kWorse
                                                       : Judgement::kBetter;
  }
}

void check_comparable(const ComparedSide& before, const ComparedSide& after) {
  const auto kind = [](const ComparedSide& side) {
    return side.command.substr(0, side.command.find(' '));
  };
  if (kind(before) == kind(after)) return;
  throw ConfigurationError(
      fmt::format("compare: {} has results of '{}', but {} has results of '{}'",
                  printable(before.name), before.command, printable(after.name), after.command));
}

}  // namespace

const char* judgement_name(Judgement judgement) {
  constexpr const char* kNames[] = {"unknown", "same", "better", "worse, tolerated", "worse"};
  return kNames[static_cast<std::size_t>(judgement)];
}

std::pair<double, double> ComparedQuantity::interval() const {
  const double half = change->half_width();
  if (is_share()) return {change->by - half, change->by + half};
  return {std::exp(change->by - half), std::exp(change->by + half)};
}

bool SidesCompared::worse() const {
  return std::any_of(places.begin(), places.end(), [](const ComparedPlace& place) {
    return std::any_of(place.quantities.begin(), place.quantities.end(), [](const auto& quantity) {
      return quantity.judgement == Judgement::kTooMuchWorse;
    });
  });
}

std::size_t SidesCompared::identical() const {
  return static_cast<std::size_t>(std::ranges::count_if(places, &ComparedPlace::identical));
}

SidesCompared compare_sides(const ComparedSide& before, const ComparedSide& after,
                            double tolerance) {
  check_comparable(before, after);
  SidesCompared compared{.before = &before, .after = &after, .tolerance = tolerance, .places = {}};
  const Places first = places_of(before);
  const Places second = places_of(after);
  if (first.size() == 1 && second.size() == 1) {
    compared.places.push_back(compare_place({}, first.front().second, second.front().second));
  } else {
    const auto partners = partners_of(before, first, after, second);
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (partners[i] == nullptr) continue;
      const auto& [values, runs] = first[i];
      compared.places.push_back(compare_place(values, runs, partners[i]->second));
    }
    compared.unmatched = first.size() + second.size() - 2 * compared.places.size();
  }
  if (compared.places.empty()) {
    throw ConfigurationError(fmt::format("compare: {} and {} have no point in common",
                                         printable(before.name), printable(after.name)));
  }
  judge_all(compared);
  if (compared.judged == 0 && compared.identical() < compared.places.size()) {
    throw ConfigurationError(
        "compare: too few measurements to tell a difference from chance: bench and very short runs "
        "need several, as with --repeat 5");
  }
  return compared;
}

}  // namespace verbena::experiments
