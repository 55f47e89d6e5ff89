// Error of a run without progress.
#pragma once

#include <stdexcept>

namespace verbena::workloads {

/// A transaction was tried for longer than RunOptions::patience. `what()` names it, the time, and
/// the cause of its last abort.
class Stuck : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace verbena::workloads
