// Several programs at once, and none left behind.
#pragma once

#include <csignal>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace verbena::experiments {

/// A program to run. Its standard output goes nowhere.
struct Process {
  std::string program;                 ///< a path, or a name to be looked up in PATH
  std::vector<std::string> arguments;  ///< without the program's name
  std::string directory;               ///< to run it in; empty: where we are
};

/// How it ended.
struct ProcessEnd {
  bool succeeded = false;  ///< exit code 0
  std::string error;       ///< the first line on standard error, or what killed it
};

/// Takes the signals that end this process (SIGINT, SIGTERM, SIGHUP, but those that are ignored) as
/// long as it lives, so that programs can be ended with us. To be made before other threads, which
/// inherit that from the thread that makes it.
class ProcessPool {
 public:
  ProcessPool();
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  /// Runs the processes in order, at most `jobs` at a time, and calls `ended` with the index of
  /// each as it ends. Returns 0, or the signal that arrived meanwhile: then the running processes
  /// were killed and waited for, and the rest was not started; the caller should end by that signal
  /// once the pool is gone. Processes die with this one, whatever ends it.
  int run(const std::vector<Process>& processes, std::size_t jobs,
          const std::function<void(std::size_t, const ProcessEnd&)>& ended) const;

 private:
  sigset_t taken_{};
  sigset_t mask_before_{};
  struct sigaction child_before_ {};
};

/// Whether `program` is found in PATH.
bool is_installed(const std::string& program);

}  // namespace verbena::experiments
