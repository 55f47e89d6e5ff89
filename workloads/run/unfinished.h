// Unfinished transactions of a failed run, with what they wait for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/base/types.h"

namespace verbena::workloads {

struct WorkerRun;

/// A transaction that had begun and not ended.
struct Unfinished {
  NodeId node;
  WorkerId worker;
  std::uint16_t fiber;
  std::string kind;   ///< Workload::kinds
  Nanoseconds since;  ///< its begin, counted from the begin of the worker's first stream
  /// Number of aborted attempts, by cause; without zeros.
  std::vector<std::pair<std::string, std::uint64_t>> aborts;
  std::string waits_for;  ///< Transaction::waits_for
};

/// Appends the unfinished transactions of a node's workers, which must have stopped.
void add_unfinished(NodeId node, std::span<const WorkerRun> workers,
                    std::span<const std::string> kinds, const std::vector<std::string>& causes,
                    std::vector<Unfinished>& unfinished);

/// Sorts the transactions by the time of their begin.
void put_oldest_first(std::vector<Unfinished>& unfinished);

}  // namespace verbena::workloads
