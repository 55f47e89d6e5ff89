// Memory that the processes share, in which they tell each other of their runs.
#include "experiments/points/point_workers.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "experiments/report/exit_code.h"

namespace verbena::experiments {

namespace {

// Bytes kept of memory that a point gave back, for the next one of the same process: about what one
// point of 16 machines takes.
constexpr std::uint64_t kKeptBytes = std::uint64_t{2} << 30;

}  // namespace

struct PointWorkers::State {
  enum Stage : std::uint8_t { kWaits, kBegun, kEnded, kTold };
  std::atomic<Stage> stage;
  pid_t process;
  int code;
  std::array<char, 500> error;  // ends with a zero
};

struct PointWorkers::Shared {
  std::atomic<std::size_t> next;
};

PointWorkers::PointWorkers(std::vector<PointRun> runs, ProgressBoard& board)
    : runs_(std::move(runs)),
      board_(board),
      arena_(rdma::PageArena::reserve(kKeptBytes)),
      shared_bytes_(sizeof(Shared) + runs_.size() * sizeof(State)) {
  static_assert(sizeof(Shared) % alignof(State) == 0);
  void* memory =
      mmap(nullptr, shared_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error(std::strerror(errno));
  shared_ = std::construct_at(static_cast<Shared*>(memory));
  std::uninitialized_value_construct_n(&state(0), runs_.size());
}

PointWorkers::~PointWorkers() { munmap(shared_, shared_bytes_); }

PointWorkers::State& PointWorkers::state(std::size_t run) {
  return reinterpret_cast<State*>(shared_ + 1)[run];
}

// In the copy. Its standard error is a file of its own.
void PointWorkers::make(std::size_t run, const Options& options) {
  State& state = this->state(run);
  state.process = getpid();
  state.stage = State::kBegun;
  std::fflush(stderr);
  const bool empty = ftruncate(STDERR_FILENO, 0) == 0 && lseek(STDERR_FILENO, 0, SEEK_SET) == 0;
  if (!empty) throw std::runtime_error(std::strerror(errno));
  state.code = options.program(runs_[run], arena_.get(), &board_.of(run), options.memory_bytes);
  std::fflush(nullptr);
  const std::string error = first_line_of(STDERR_FILENO);
  const std::size_t length = std::min(error.size(), state.error.size() - 1);
  std::copy_n(error.begin(), length, state.error.begin());
  // Others would count it as at work until this process ends.
  using workloads::RunStage;
  if (state.code != kInterrupted) {
    board_.of(run).enter(state.code == kSuccess ? RunStage::kEnded : RunStage::kFailed);
  }
  state.stage = State::kEnded;
}

// Makes runs until one fails: what that leaves behind is not for others.
int PointWorkers::work(const Options& options) {
  for (std::size_t run = shared_->next++; run < runs_.size(); run = shared_->next++) {
    make(run, options);
    if (state(run).code != kSuccess) return state(run).code;
  }
  return kSuccess;
}

void PointWorkers::tell(std::size_t run, const ProcessEnd& end, const Ended& ended) {
  state(run).stage = State::kTold;
  ended(run, end);
}

void PointWorkers::tell_of_ended(const Ended& ended) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const State& one = state(i);
    if (one.stage != State::kEnded || one.code == kInterrupted) continue;
    ProcessEnd end{.succeeded = one.code == kSuccess, .code = one.code, .error = one.error.data()};
    if (!end.succeeded && end.error.empty()) end.error = fmt::format("exit code {}", end.code);
    tell(i, end, ended);
  }
}

// Another worker may be about its own.
void PointWorkers::tell_of_begun(const ProcessEnd& end, const Ended& ended) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (state(i).stage != State::kBegun || state(i).process != end.process) continue;
    tell(i, end, ended);
  }
}

int PointWorkers::run(const Options& options, const ProcessPool& pool, const Ended& ended) {
  Process worker;
  worker.inside = [&](const std::vector<std::string>&) { return work(options); };
  // One that ends too early is followed by the next; when all runs are taken the rest find none.
  const std::vector<Process> workers(runs_.size(), worker);
  const int signal =
      pool.run(workers, {.processes = options.processes}, [&](std::size_t, const ProcessEnd& end) {
        tell_of_ended(ended);
        if (!end.succeeded) tell_of_begun(end, ended);
      });
  tell_of_ended(ended);
  if (signal != 0) return signal;
  // Taken by one that ended before it could say so.
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (state(i).stage != State::kTold) tell(i, {.code = -1, .error = "its process ended"}, ended);
  }
  return 0;
}

}  // namespace verbena::experiments
