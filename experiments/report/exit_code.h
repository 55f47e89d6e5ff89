// How the program ends.
#pragma once

namespace verbena::experiments {

enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,      ///< the run failed, or its verification did
  kBadInput = 2,     ///< a flag, file, profile or device that cannot be used; nothing was started
  kPeerMissing = 3,  ///< a peer did not come up within the deadline, or has stopped answering
};

}  // namespace verbena::experiments
