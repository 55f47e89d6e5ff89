// How a hunted run ended.
#pragma once

#include <string>

#include "experiments/points/process_pool.h"

namespace verbena::experiments {

enum class Outcome {
  kPassed,            ///< verified, or at least nothing was found
  kRefused,           ///< its settings do not go together
  kUnsafe,            ///< the verification failed
  kNotDeterministic,  ///< the same seed gave another run
  kCrashed,           ///< the program failed
  kStuck,             ///< transactions did not get on, or the program did not end
  kCount
};

/// "passed", "refused", "not verified", "not deterministic", "crashed" or "stuck".
const char* outcome_name(Outcome outcome);

/// By the exit code of `run`, and what ended it.
Outcome outcome_of(const ProcessEnd& end);

/// True of an error of the program.
constexpr bool is_failure(Outcome outcome) {
  return outcome != Outcome::kPassed && outcome != Outcome::kRefused;
}

/// The exit code of a hunt that found this.
int exit_code_of(Outcome outcome);

}  // namespace verbena::experiments
