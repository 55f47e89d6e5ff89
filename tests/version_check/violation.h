// Broken promises of a history, and the transactions that show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "txn/check/history.h"

namespace verbena::txn {

/// Why one transaction comes before another.
enum class Dependency : std::uint8_t {
  kWriteWrite,  ///< the other wrote the next version of a record
  kWriteRead,   ///< the other read what the one wrote
  kReadWrite,   ///< the other replaced what the one read
  kRealTime,    ///< the one had ended when the other began
};

/// "ww", "wr", "rw" or "time".
const char* dependency_name(Dependency dependency);

struct ViolatingTransaction {
  HistoryEntry entry;
  std::vector<HistoryAccess> accesses;
};

/// One transaction comes before another.
struct ViolationEdge {
  std::size_t from = 0;  ///< index in Violation::transactions, as `to`
  std::size_t to = 0;
  Dependency why = Dependency::kRealTime;
  RecordName record = {};          ///< of all but kRealTime, as the versions
  std::uint64_t from_version = 0;  ///< that `from` wrote, or read (kReadWrite)
  std::uint64_t to_version = 0;    ///< that `to` wrote, or read (kWriteRead)
};

/// A history that is wrong. The transactions are those of a cycle, in its order, which the edges
/// close; or those whose versions contradict each other, perhaps with edges between them.
struct Violation {
  std::string what;  ///< one line
  std::vector<ViolatingTransaction> transactions;
  std::vector<ViolationEdge> edges;
};

/// Checks that the committed transactions are serializable: that every version of a record was
/// written by at most one of them and read only after it was written by one (or loaded), and that
/// the direct serialization graph by versions (write-write, write-read and read-write edges) has no
/// cycle. Returns the first violation; of cycles a shortest one (see PrecedenceGraph).
std::optional<Violation> serializability_violation(const History& history);

/// Checks besides that the order may be one in which every transaction comes after all that had
/// ended when it began (strict serializability). Only for histories whose times are of one clock.
std::optional<Violation> strict_serializability_violation(const History& history);

/// One line; empty when there is none.
std::string violation_text(const std::optional<Violation>& violation);

}  // namespace verbena::txn
