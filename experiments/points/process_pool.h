// Runs several programs at once, and leaves none behind.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace verbena::experiments {

/// A program to run. Its standard output is discarded.
struct Process {
  std::string program;  ///< a path, or a name to look up in PATH
  /// A function to run instead of a program: it gets the arguments, in a forked copy of this
  /// process that exits with the code that it returns. Other threads do not exist in the copy.
  std::function<int(const std::vector<std::string>& arguments)> inside = {};
  std::vector<std::string> arguments;  ///< without the program's name
  std::string directory;               ///< working directory; empty: ours
  std::uint64_t memory_bytes = 0;      ///< estimate of its memory
  unsigned limit_seconds = 0;          ///< limit of its time, after which it is killed; 0: none
  std::vector<std::string> environment = {};  ///< "NAME=VALUE", added to ours
  int descriptor = -1;  ///< our descriptor to leave open in the program; -1: none
};

/// How a process ended.
struct ProcessEnd {
  bool succeeded = false;    ///< exit code 0
  int code = 0;              ///< exit code; -1 when a signal killed it
  std::string error;         ///< first line on standard error, or what killed it
  bool out_of_time = false;  ///< it was killed after its limit
  pid_t process = 0;         ///< process id
};

/// Limits on processes that run at once: at most `processes`, with a sum of at most `memory_bytes`.
/// One may always run.
struct PoolLimits {
  std::size_t processes = 1;
  std::uint64_t memory_bytes = UINT64_MAX;
};

/// Runs processes, and ends them when a signal ends this one. While it lives, it takes over the
/// signals that end this process (SIGINT, SIGTERM, SIGHUP, except ignored ones). Create it before
/// other threads: they inherit the signal mask of the thread that creates it.
class ProcessPool {
 public:
  ProcessPool();
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  /// Runs the processes in order, as many at once as `limits` allow, and calls `ended` with the
  /// index of each as it ends. Returns 0, or the signal that arrived meanwhile: running processes
  /// were then killed and waited for, the others not started, and the caller should end by that
  /// signal once the pool is destroyed. Processes die with this one, whatever ends it.
  int run(const std::vector<Process>& processes, const PoolLimits& limits,
          const std::function<void(std::size_t, const ProcessEnd&)>& ended) const;

 private:
  sigset_t taken_{};
  sigset_t mask_before_{};
  struct sigaction child_before_ {};
};

/// Reads the first line of a file, made printable and cut to a moderate length.
std::string first_line_of(int descriptor);

/// True if `program` is found in PATH.
bool is_installed(const std::string& program);

}  // namespace verbena::experiments
