// Where the latencies of many transactions went.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "experiments/paths/part.h"
#include "experiments/paths/way.h"
#include "rdma/base/time.h"

namespace verbena::experiments {

/// Means over transactions of what lay on their critical paths: had it been shorter, and nothing
/// else longer, the transaction would have been.
struct CriticalPath {
  struct Row {
    Part part;
    double mean_ns;          ///< of all transactions
    double slowest_mean_ns;  ///< of the slowest
  };
  std::uint64_t transactions = 0;
  double mean_ns = 0;         ///< the sum of the rows': the mean latency
  double requests = 0;        ///< that followed each other on the path: messages and one-sided ones
  std::uint64_t slowest = 0;  ///< how many of the transactions are at least 1 % of all
  double slowest_mean_ns = 0;
  double slowest_requests = 0;
  std::vector<Row> rows;  ///< by place, in each what takes longest first
};

/// Adds up.
class PathSums {
 public:
  /// Adds a transaction that was decided at `decided`, which `way` has reached.
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
  std::map<int, Group> groups_;  ///< by latency: 64 to each doubling
};

}  // namespace verbena::experiments
