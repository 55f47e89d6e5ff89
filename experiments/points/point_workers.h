// Processes that each make one run after another in the same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiments/points/process_pool.h"
#include "experiments/points/progress_board.h"
#include "rdma/seam/page_arena.h"

namespace verbena::experiments {

/// The program as a function of its arguments, see run_program.
using Program = std::function<int(const std::vector<std::string>& arguments, rdma::PageArena* arena,
                                  workloads::RunProgress* progress, std::uint64_t memory_bytes)>;

/// Arguments of one run of the program.
using PointRun = std::vector<std::string>;

/// Makes many runs without the cost of starting the program and touching fresh memory for each.
class PointWorkers {
 public:
  /// Options of run(). At most `processes` processes work at once.
  struct Options {
    Program program;
    std::size_t processes = 1;
    std::uint64_t memory_bytes = 0;  ///< share of each; 0: unknown
  };

  using Ended = std::function<void(std::size_t run, const ProcessEnd& end)>;

  /// Creates the workers of `runs`. `board` must have a place for each run and must outlive this
  /// object.
  PointWorkers(std::vector<PointRun> runs, ProgressBoard& board);
  ~PointWorkers();
  PointWorkers(const PointWorkers&) = delete;
  PointWorkers& operator=(const PointWorkers&) = delete;

  /// Makes the runs in forked copies of this process, which take them in order, and calls `ended`
  /// for each run that has ended. A run that fails or ends its process is the last of that process;
  /// another process goes on. Returns 0, or the signal that arrived meanwhile, see
  /// ProcessPool::run. May be called once.
  int run(const Options& options, const ProcessPool& pool, const Ended& ended);

 private:
  struct Shared;
  struct State;
  State& state(std::size_t run);
  int work(const Options& options);
  void make(std::size_t run, const Options& options);
  void tell(std::size_t run, const ProcessEnd& end, const Ended& ended);
  void tell_of_ended(const Ended& ended);
  void tell_of_begun(const ProcessEnd& end, const Ended& ended);

  std::vector<PointRun> runs_;
  ProgressBoard& board_;
  std::unique_ptr<rdma::PageArena> arena_;  // each process has its own untouched copy
  std::size_t shared_bytes_;
  Shared* shared_;
};

}  // namespace verbena::experiments
