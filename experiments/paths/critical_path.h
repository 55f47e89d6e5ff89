// Critical paths of many transactions: where their latencies went.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "experiments/paths/part.h"
#include "experiments/paths/way.h"
#include "rdma/base/time.h"

namespace verbena::experiments {

/// Mean critical path of many transactions. A part belongs to the critical path if shortening it,
/// with all else unchanged, would have shortened the transaction.
struct CriticalPath {
  struct Row {
    Part part;
    double mean_ns;          ///< over all transactions
    double slowest_mean_ns;  ///< over the slowest
  };
  std::uint64_t transactions = 0;
  double mean_ns = 0;         ///< mean latency: the sum of the rows' means
  double requests = 0;        ///< messages and one-sided requests in sequence on the path
  std::uint64_t slowest = 0;  ///< number of the slowest transactions: at least 1 % of all
  double slowest_mean_ns = 0;
  double slowest_requests = 0;
  std::vector<Row> rows;  ///< by place; within each the longest first
};

/// Sums critical paths, and computes their means.
class PathSums {
 public:
  /// Adds a transaction that was decided at `decided`; `way` must reach that time.
  void add(const Way& way, Picoseconds decided);
  void clear() { groups_.clear(); }
  CriticalPath means() const;

 private:
  /// Transactions of about the same latency.
  struct Group {
    std::uint64_t transactions = 0;
    std::uint64_t requests = 0;
    std::map<Part, Picoseconds> parts;
  };
  std::map<int, Group> groups_;  ///< by latency: 64 groups per factor of two
};

}  // namespace verbena::experiments
