// Two results, place by place.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/compare/side.h"
#include "experiments/compare/significance.h"

namespace verbena::experiments {

/// Judgement of a change.
enum class Judgement {
  kUnknown,  ///< how far chance goes is not known
  kSame,     ///< no more than chance
  kBetter,
  kWorse,  ///< within the tolerance
  kTooMuchWorse,
};

/// "better", ...
const char* judgement_name(Judgement judgement);

/// One quantity on both sides, in its own unit (quantity.h).
struct ComparedQuantity {
  std::string name;
  double before = 0;
  double after = 0;
  /// Difference of abort_rate, logarithm of the quotient of others; nothing where chance is
  /// unknown.
  std::optional<Change> change;
  bool judged = false;  ///< takes part in the verdict; others are only shown
  Judgement judgement = Judgement::kUnknown;

  bool is_share() const { return name == "abort_rate"; }
  /// From the 95 % interval: its ends as quotients, of a share as differences.
  std::pair<double, double> interval() const;
};

/// Where committed transactions spent their time, per transaction.
struct ComparedPhase {
  std::string name;  ///< "rest": of the latency, beyond committed attempts
  double before_us = 0;
  double after_us = 0;
  bool after_latency = false;  ///< on a side at least: PhaseResult::after_latency
};

/// The same values on both sides.
struct ComparedPlace {
  std::map<std::string, std::string> values;
  std::size_t runs_before = 0;
  std::size_t runs_after = 0;
  bool unsteady = false;   ///< a single run whose means did not come to rest
  bool identical = false;  ///< all that was measured is the same, so nothing is left to chance
  std::vector<ComparedQuantity> quantities;
  std::vector<ComparedPhase> phases;
};

/// All of it.
struct SidesCompared {
  const ComparedSide* before = nullptr;
  const ComparedSide* after = nullptr;
  double tolerance = 0;  ///< how much worse is no harm: a share
  std::vector<ComparedPlace> places;
  std::size_t unmatched = 0;  ///< places that one side only has
  std::size_t judged = 0;     ///< quantities, of places that are not identical

  std::size_t identical() const;  ///< places
  bool worse() const;             ///< some quantity is, by more than chance and the tolerance
};

/// Compares the places of two sides, which must outlive the result; runs that differ in their seeds
/// only are repetitions of one place. Two sides with one place each are compared whatever their
/// values. Throughput, mean latency and the share of aborts are judged, all of them together (see
/// significant), where the places are not identical. Throws ConfigurationError when the sides have
/// no place in common, or are of run and bench, or when chance is unknown everywhere.
SidesCompared compare_sides(const ComparedSide& before, const ComparedSide& after,
                            double tolerance);

}  // namespace verbena::experiments
