// A run that does not get on.
#pragma once

#include <stdexcept>

namespace verbena::workloads {

/// A transaction was tried for longer than RunOptions::patience. `what()` says which, for how long,
/// and what its last attempt was aborted by.
class Stuck : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace verbena::workloads
