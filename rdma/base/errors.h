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

/// A peer that did not come up before the deadline, or stopped answering. `what()` names it, with
/// its address where it has one. Exit code 3.
class PeerMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wait for missing peers that the user interrupted. `what()` names the peers. Exit code 130.
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

/// Malformed bytes: cut off, forged or corrupted. `what()` says what is wrong and what is allowed.
/// Code that knows their origin catches it: it refuses a file by ConfigurationError, and ends the
/// run for a message by PeerError.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A malformed message from a peer. `what()` names the sender, the method, the defect and what is
/// allowed. Exit code 1.
class PeerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace verbena
