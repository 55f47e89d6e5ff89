// Transactions that a run left when it failed: each tells what it waits for.
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
  Nanoseconds since;  ///< its begin, since the worker's first stream began
  /// Attempts that were aborted, by causes that there were.
  std::vector<std::pair<std::string, std::uint64_t>> aborts;
  std::string waits_for;  ///< Transaction::waits_for
};

/// Appends those of a node's workers, which run no more.
void add_unfinished(NodeId node, std::span<const WorkerRun> workers,
                    std::span<const std::string> kinds, const std::vector<std::string>& causes,
                    std::vector<Unfinished>& unfinished);

/// Sorts them by when they began.
void put_oldest_first(std::vector<Unfinished>& unfinished);

}  // namespace verbena::workloads
