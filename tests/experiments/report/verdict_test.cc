// The line in which the check after a run tells its result.
#include <gtest/gtest.h>

#include "experiments/report/run_report.h"

namespace verbena::experiments {
namespace {

workloads::RunResult checked_registers() {
  workloads::RunResult result;
  result.system.isolation = txn::Isolation::kLinearizableRegisters;
  result.verification.checked = true;
  result.replayed = 10;
  return result;
}

TEST(Verdict, TellsWhatWasReplayed) {
  const Verdict verdict = verdict_of(checked_registers());
  EXPECT_TRUE(verdict.summary.ends_with("; 10 replayed for linearizable registers"))
      << verdict.summary;
}

TEST(Verdict, TellsOfWhatCouldNotBeDecided) {
  workloads::RunResult result = checked_registers();
  result.undecided = 3;
  const Verdict verdict = verdict_of(result);
  EXPECT_TRUE(verdict.summary.ends_with("registers, 3 of them undecided, which took too long"))
      << verdict.summary;
  EXPECT_TRUE(verdict.errors.empty());
}

}  // namespace
}  // namespace verbena::experiments
