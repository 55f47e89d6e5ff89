// Exit codes of the program.
#pragma once

namespace verbena::experiments {

enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,
  kBadInput = 2,
  kPeerMissing = 3,
  kNotVerified = 4,
  kNotMeasured = 5,
  kStuck = 6,
  kNotDeterministic = 7,
  kInterrupted = 130,
};

struct ExitCodeText {
  ExitCode code;
  const char* text;
};

/// Meaning of each code, for people.
inline constexpr ExitCodeText kExitCodes[] = {
    {kSuccess, "done, and verified if that was asked for"},
    {kFailure, "the run failed; of compare, B is worse"},
    {kBadInput,
     "bad input: a flag, file, profile or device that cannot be used, or that turns out to be of "
     "no use for the run"},
    {kPeerMissing, "a peer did not come up within the deadline, or has stopped answering"},
    {kNotVerified, "the verification failed"},
    {kNotMeasured, "nothing was measured: nothing completed in the measured time"},
    {kStuck,
     "a transaction was tried for longer than run.patience, or, of hunt, a run did not end"},
    {kNotDeterministic, "of hunt: the same seed gave another run"},
    {kInterrupted, "interrupted; of run, what had been measured was told"},
};

}  // namespace verbena::experiments
