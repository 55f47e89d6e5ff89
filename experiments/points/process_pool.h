// Several programs at once, and none left behind.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace verbena::experiments {

/// A program to run. Its standard output goes nowhere.
struct Process {
  std::string program;  ///< a path, or a name to be looked up in PATH
  /// Instead of a program: called with the arguments in a copy of this process, which then ends
  /// with the code that it returns. Nothing of what other threads do goes on there.
  std::function<int(const std::vector<std::string>& arguments)> inside = {};
  std::vector<std::string> arguments;  ///< without the program's name
  std::string directory;               ///< to run it in; empty: where we are
  std::uint64_t memory_bytes = 0;      ///< about what it will take
  unsigned limit_seconds = 0;          ///< after which it is killed; 0: never
  std::string environment = {};        ///< "NAME=VALUE", added to ours; empty: nothing
  int descriptor = -1;                 ///< of ours, which stays open in the program; -1: none
};

/// How it ended.
struct ProcessEnd {
  bool succeeded = false;    ///< exit code 0
  int code = 0;              ///< exit code; -1 when a signal killed it
  std::string error;         ///< the first line on standard error, or what killed it
  bool out_of_time = false;  ///< it was killed after its limit
  pid_t process = 0;         ///< which it was
};

/// How many run at once: at most `processes`, and no more than fit `memory_bytes` together; one in
/// any case.
struct PoolLimits {
  std::size_t processes = 1;
  std::uint64_t memory_bytes = UINT64_MAX;
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

  /// Runs the processes in order, as many at once as `limits` allow, and calls `ended` with the
  /// index of each as it ends. Returns 0, or the signal that arrived meanwhile: then the running
  /// processes were killed and waited for, and the rest was not started; the caller should end by
  /// that signal once the pool is gone. Processes die with this one, whatever ends it.
  int run(const std::vector<Process>& processes, const PoolLimits& limits,
          const std::function<void(std::size_t, const ProcessEnd&)>& ended) const;

 private:
  sigset_t taken_{};
  sigset_t mask_before_{};
  struct sigaction child_before_ {};
};

/// The first line of a file, printable and not too long.
std::string first_line_of(int descriptor);

/// True if `program` is found in PATH.
bool is_installed(const std::string& program);

}  // namespace verbena::experiments
