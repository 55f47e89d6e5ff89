// How a hunted run ended.
#pragma once

#include <string>

#include "experiments/points/process_pool.h"

namespace verbena::experiments {

enum class Outcome {
  kPassed,            ///< verified, or nothing wrong was found
  kRefused,           ///< its settings do not go together
  kUnsafe,            ///< the verification failed
  kNotDeterministic,  ///< two runs with the same seed differed
  kCrashed,           ///< the program failed
  kStuck,             ///< transactions made no progress, or the program did not end
  kCount
};

/// "passed", "refused", "not verified", "not deterministic", "crashed" or "stuck".
const char* outcome_name(Outcome outcome);

/// Derives the outcome from the exit code of `run`, or from what killed it.
Outcome outcome_of(const ProcessEnd& end);

/// True if the outcome is the program's fault.
constexpr bool is_failure(Outcome outcome) {
  return outcome != Outcome::kPassed && outcome != Outcome::kRefused;
}

/// The exit code of a hunt with this outcome.
int exit_code_of(Outcome outcome);

}  // namespace verbena::experiments
