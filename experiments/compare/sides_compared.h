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
  kUnknown,  ///< the effect of chance is not known
  kSame,     ///< no difference beyond chance
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
  /// Change of the quantity: the difference of abort_rate, the logarithm of the quotient of others.
  /// Nothing when the effect of chance is unknown.
  std::optional<Change> change;
  bool judged = false;  ///< takes part in the verdict; others are only shown
  Judgement judgement = Judgement::kUnknown;

  bool is_share() const { return name == "abort_rate"; }
  /// Ends of the 95 % interval of the change: quotients, or differences for a share.
  std::pair<double, double> interval() const;
};

/// Where committed transactions spent their time, per transaction.
struct ComparedPhase {
  std::string name;  ///< "rest": the part of the latency outside committed attempts
  double before_us = 0;
  double after_us = 0;
  bool after_latency = false;  ///< PhaseResult::after_latency holds on at least one side
};

/// Results of both sides for the same values of the settings.
struct ComparedPlace {
  std::map<std::string, std::string> values;
  std::size_t runs_before = 0;
  std::size_t runs_after = 0;
  bool unsteady = false;   ///< a side has a single run, whose means did not come to rest
  bool identical = false;  ///< all measured values are equal, so nothing is left to chance
  std::vector<ComparedQuantity> quantities;
  std::vector<ComparedPhase> phases;
};

/// The whole comparison.
struct SidesCompared {
  const ComparedSide* before = nullptr;
  const ComparedSide* after = nullptr;
  double tolerance = 0;  ///< share by which a quantity may be worse without harm
  std::vector<ComparedPlace> places;
  std::size_t unmatched = 0;  ///< places that only one side has
  std::size_t judged = 0;     ///< number of judged quantities in places that are not identical

  std::size_t identical() const;  ///< number of identical places
  bool worse() const;             ///< some quantity is worse by more than chance and the tolerance
};

/// Compares the places of two sides, which must outlive the result. Runs that differ only in their
/// seeds are repetitions of one place; two sides with one place each are compared whatever their
/// values. Throughput, mean latency and the share of aborts are judged together (see significant)
/// in places that are not identical. Throws ConfigurationError when the sides have no place in
/// common, when one is of run and the other of bench, or when the effect of chance is unknown
/// everywhere.
SidesCompared compare_sides(const ComparedSide& before, const ComparedSide& after,
                            double tolerance);

}  // namespace verbena::experiments
