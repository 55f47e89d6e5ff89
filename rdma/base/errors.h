// The errors that end a command, and the exit code each stands for.
#pragma once

#include <stdexcept>
#include <string>

namespace verbena {

/// A configuration, profile, file or flag that cannot be used. `what()` is one line that names the
/// thing, its value and what is allowed. Exit code 2.
class ConfigurationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A peer that did not come up within the deadline, or stopped answering. `what()` names it, with
/// its address where it has one. Exit code 3.
class PeerMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wait that people ended, for peers that have not come up. `what()` says for whom it was. Exit
/// code 130.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A verbs call or a work request that failed. `what()` names the call, the device, the queue pair
/// and the completion status. Exit code 1.
class VerbsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bytes that no writer of theirs writes: cut off, forged or rotten. `what()` says what is wrong
/// and what is allowed. Code that knows where the bytes came from catches it and names that: a file
/// is refused by ConfigurationError, a message ends the run by PeerError.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A message that no peer sends: `what()` names who sent it, the method, what is wrong with it and
/// what is allowed. Exit code 1.
class PeerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace verbena
