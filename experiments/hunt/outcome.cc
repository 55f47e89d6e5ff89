// Exit codes and outcomes.
#include "experiments/hunt/outcome.h"

#include <array>

#include "experiments/report/exit_code.h"

namespace verbena::experiments {

const char* outcome_name(Outcome outcome) {
  constexpr std::array<const char*, static_cast<std::size_t>(Outcome::kCount)> kNames = {
      "passed", "refused", "not verified", "not deterministic", "crashed", "stuck"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Outcome outcome_of(const ProcessEnd& end) {
  if (end.out_of_time) return Outcome::kStuck;
  switch (end.code) {
    case kSuccess:
    case kNotMeasured:
      return Outcome::kPassed;
    case kBadInput:
      return Outcome::kRefused;
    case kNotVerified:
      return Outcome::kUnsafe;
    case kStuck:
    case kPeerMissing:  // all are here, so one of them hangs
      return Outcome::kStuck;
    default:
      return Outcome::kCrashed;
  }
}

int exit_code_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
    case Outcome::kRefused:
      return kSuccess;
    case Outcome::kUnsafe:
      return kNotVerified;
    case Outcome::kNotDeterministic:
      return kNotDeterministic;
    case Outcome::kStuck:
      return kStuck;
    default:
      return kFailure;
  }
}

}  // namespace verbena::experiments
