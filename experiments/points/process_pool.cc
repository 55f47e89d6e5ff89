// fork and exec, with the signals that concern us taken by sigwaitinfo only.
#include "experiments/points/process_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "experiments/config/keys/units.h"

namespace verbena::experiments {
namespace {

constexpr std::array<int, 3> kEnding = {SIGINT, SIGTERM, SIGHUP};
constexpr std::size_t kLongestError = 4096;
// For programs that are to end, before they are killed.
constexpr std::chrono::milliseconds kGrace{1000};

// An open file, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {
    if (number_ < 0) throw std::runtime_error(std::strerror(errno));
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

struct Running {
  std::size_t index;
  Descriptor error;
  std::uint64_t memory_bytes;
};

// Ours, and what the process has besides; ends with a null. Lasts as long as both of them.
std::vector<char*> environment_of(const Process& process) {
  std::vector<char*> lines;
  for (char** line = environ; *line != nullptr; ++line) lines.push_back(*line);
  for (const std::string& line : process.environment) {
    lines.push_back(const_cast<char*>(line.c_str()));
  }
  lines.push_back(nullptr);
  return lines;
}

// After fork: only what is safe there, of which the C library sees to memory and streams.
[[noreturn]] void become(const Process& process, char* const* arguments, char* const* environment,
                         int error, const sigset_t& mask, const sigset_t& taken,
                         pid_t parent) noexcept {
  const char* directory = process.directory.c_str();
  // A group of its own: the terminal's Ctrl-C is ours to pass on.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const bool ready = getppid() == parent && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
                     dup2(nothing, STDOUT_FILENO) >= 0 && dup2(error, STDERR_FILENO) >= 0 &&
                     (directory[0] == '\0' || chdir(directory) == 0);
  for (const int signal : kEnding) {
    // Ignored ones stay ignored.
    if (sigismember(&taken, signal) == 1) ::signal(signal, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  // The program that we become keeps the alarm, and dies of it.
  signal(SIGALRM, SIG_DFL);
  alarm(process.limit_seconds);
  if (ready && process.inside) {
    const int code = process.inside(process.arguments);
    std::fflush(nullptr);
    _exit(code);
  }
  // Other programs need not notice that their files end too early.
  signal(SIGXFSZ, SIG_DFL);
  if (process.descriptor >= 0) fcntl(process.descriptor, F_SETFD, 0);
  if (ready) execvpe(arguments[0], arguments, environment);
  _exit(127);
}

// "killed by signal 25 (File size limit exceeded)"
std::string killed_by(int signal) {
  const char* name = sigdescr_np(signal);
  return fmt::format("killed by signal {}{}", signal,
                     name == nullptr ? "" : fmt::format(" ({})", name));
}

bool is_gone(pid_t child, int options) {
  pid_t result = 0;
  do {
    result = waitpid(child, nullptr, options);
  } while (result < 0 && errno == EINTR);
  return result != 0;
}

class Children {
 public:
  Children(const sigset_t& mask, const sigset_t& taken) : mask_(mask), taken_(taken) {}
  ~Children() { kill_all(); }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  // True if `process` may run beside those that do.
  bool take(const Process& process, const PoolLimits& limits) const {
    if (running_.empty()) return true;
    std::uint64_t taken = process.memory_bytes;
    for (const auto& entry : running_) taken += entry.second.memory_bytes;
    return running_.size() < limits.processes && taken <= limits.memory_bytes;
  }

  bool none() const { return running_.empty(); }

  void start(const Process& process, std::size_t index) {
    std::vector<char*> arguments{const_cast<char*>(process.program.c_str())};
    for (const std::string& argument : process.arguments) {
      arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    Descriptor error(memfd_create("verbena-error", MFD_CLOEXEC));
    std::vector<char*> environment = environment_of(process);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) {
      throw std::runtime_error(
          fmt::format("{}: cannot be started: {}", process.program, std::strerror(errno)));
    }
    if (child == 0) {
      become(process, arguments.data(), environment.data(), error.number(), mask_, taken_, parent);
    }
    running_.emplace(child, Running{index, std::move(error), process.memory_bytes});
  }

  // Takes those that have ended. One signal may stand for several.
  void reap(const std::function<void(std::size_t, const ProcessEnd&)>& ended) {
    for (;;) {
      int status = 0;
      const pid_t child = waitpid(-1, &status, WNOHANG);
      if (child <= 0) return;
      const auto found = running_.find(child);
      if (found == running_.end()) continue;
      ProcessEnd end{.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0,
                     .code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                     .error = first_line_of(found->second.error.number()),
                     .out_of_time = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM,
                     .process = child};
      if (!end.succeeded && end.error.empty()) {
        end.error = WIFSIGNALED(status) ? killed_by(WTERMSIG(status))
                                        : fmt::format("exit code {}", WEXITSTATUS(status));
      }
      const std::size_t index = found->second.index;
      running_.erase(found);
      ended(index, end);
    }
  }

  void kill_all() {
    for (const auto& entry : running_) {
      kill(entry.first, SIGTERM);
      // One that was stopped ends only when it goes on.
      kill(entry.first, SIGCONT);
    }
    const auto deadline = std::chrono::steady_clock::now() + kGrace;
    while (!running_.empty() && std::chrono::steady_clock::now() < deadline) {
      std::erase_if(running_, [](const auto& entry) { return is_gone(entry.first, WNOHANG); });
      if (!running_.empty()) std::this_thread::sleep_for(kGrace / 100);
    }
    for (const auto& entry : running_) kill(entry.first, SIGKILL);
    for (const auto& entry : running_) is_gone(entry.first, 0);
    running_.clear();
  }

 private:
  sigset_t mask_;   // of signals, for the children
  sigset_t taken_;  // by us, and theirs to die of
  std::map<pid_t, Running> running_;
};

}  // namespace

ProcessPool::ProcessPool() {
  sigemptyset(&taken_);
  sigaddset(&taken_, SIGCHLD);
  for (const int signal : kEnding) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    // A signal that is ignored when we start, as under nohup, is meant to stay so.
    if (action.sa_handler != SIG_IGN) sigaddset(&taken_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &taken_, &mask_before_);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, &child_before_);
}

ProcessPool::~ProcessPool() {
  sigaction(SIGCHLD, &child_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

int ProcessPool::run(const std::vector<Process>& processes, const PoolLimits& limits,
                     const std::function<void(std::size_t, const ProcessEnd&)>& ended) const {
  Children children(mask_before_, taken_);
  std::size_t next = 0;
  while (next < processes.size() || !children.none()) {
    if (next < processes.size() && children.take(processes[next], limits)) {
      children.start(processes[next], next);
      ++next;
      continue;
    }
    const int signal = sigwaitinfo(&taken_, nullptr);
    if (signal == SIGCHLD) children.reap(ended);
    if (signal > 0 && signal != SIGCHLD) return signal;
  }
  return 0;
}

std::string first_line_of(int descriptor) {
  std::string text(kLongestError, '\0');
  const ssize_t length = pread(descriptor, text.data(), text.size(), 0);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return printable(text.substr(0, text.find('\n')), kLongestError);
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view directories = path != nullptr ? path : "";
  while (!directories.empty()) {
    const std::size_t colon = directories.find(':');
    const std::string file = fmt::format("{}/{}", directories.substr(0, colon), program);
    if (access(file.c_str(), X_OK) == 0) return true;
    directories.remove_prefix(colon == std::string_view::npos ? directories.size() : colon + 1);
  }
  return false;
}

}  // namespace verbena::experiments
