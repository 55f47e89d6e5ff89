// Choice of the records that one client of YCSB uses.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "rdma/base/random.h"
#include "rdma/base/types.h"
#include "txn/schema/table.h"
#include "workloads/workload.h"
#include "workloads/ycsb/mix.h"
#include "workloads/ycsb/permutation.h"
#include "workloads/zipf.h"

namespace verbena::workloads::ycsb {

/// Where a record is.
struct Place {
  txn::PartitionId partition = 0;
  txn::Key key = 0;

  auto operator<=>(const Place&) const = default;
};

/// The records that a run begins with, numbered over the whole cluster: successive numbers are on
/// successive nodes. A node's keys are as far apart as keys of 63 bits can be, 2^shift() each, so
/// that records which a run inserts lie between them: all odd keys are for these.
struct KeySpace {
  std::uint32_t nodes = 1;
  std::uint64_t records_per_node = 1;  ///< 1 to 2^62

  std::uint64_t records() const { return nodes * records_per_node; }

  /// 1 to 62.
  unsigned shift() const {
    return 63 -
           static_cast<unsigned>(std::bit_width(std::max(records_per_node, std::uint64_t{2}) - 1));
  }

  Place place(std::uint64_t number) const {
    return {.partition = static_cast<txn::PartitionId>(number % nodes),
            .key = number / nodes << shift()};
  }

  /// Number of odd keys on a node up to where another initial key would come: at least 2^61.
  std::uint64_t odd_keys() const { return records_per_node << (shift() - 1); }
};

/// How clients of one workload choose. Immutable; shared by them.
struct KeyChoice {
  /// `s` is the coefficient of Zipf's law.
  KeyChoice(const KeySpace& key_space, Distribution of_records, double s,
            std::optional<std::uint32_t> local)
      : space(key_space),
        distribution(of_records),
        ranks(key_space.records(), s),
        numbers(key_space.records()),
        insertions(key_space.odd_keys()),
        local_percent(local) {}

  KeySpace space;
  Distribution distribution;
  Zipf ranks;              ///< over space.records()
  Permutation numbers;     ///< from ranks, counted from 0, to numbers of records
  Permutation insertions;  ///< over space.odd_keys()
  std::optional<std::uint32_t> local_percent;
};

/// One client's choices. Not thread-safe.
///
/// - uniform: every record that was there at the beginning alike.
/// - zipfian: these by Zipf's law. A fixed permutation leads from ranks to records, so that records
///   which are close in popularity are close neither in the key space nor on nodes.
/// - latest: Zipf's law over the client's own insertions, the newest first, and then the records
///   that were there at the beginning, the last first.
///
/// Clients insert under keys of their own, evenly scattered over the initial ones: client and count
/// of its insertions, permuted. So none waits for another's counter, no insertion meets a record
/// that is there, scans meet what was inserted, and "latest" is what it is for a YCSB client with
/// an insertion range of its own: simplified is that a client's latest reads do not meet what
/// others have just inserted.
class KeyChooser {
 public:
  /// `choice` must outlive this.
  KeyChooser(const KeyChoice& choice, const ClientPlace& client);

  /// A record that is there.
  Place existing(Random& random) const;

  /// The place of the insertion that comes `ahead` insertions after the next.
  Place insertion(std::uint32_t ahead) const { return own(inserted_ + ahead); }

  /// A number that no other client has, of its own number and `count`, below 2^33.
  std::uint64_t unique_number(std::uint64_t count) const { return count << kClientBits | client_; }

  /// The next `count` insertions have been committed.
  void inserted(std::uint32_t count) { inserted_ += count; }

  /// True if a record with this key was inserted by a run.
  static bool is_inserted(txn::Key key) { return key % 2 == 1; }

 private:
  // A client's number: home, worker and fiber. It leaves 30 bits of odd_keys() for the insertions
  // of each.
  static constexpr unsigned kFiberBits = 9;
  static constexpr unsigned kWorkerBits = 10;
  static constexpr unsigned kClientBits = 31;

  std::uint64_t number(Random& random) const;
  Place own(std::uint64_t insertion) const;
  txn::PartitionId other(std::uint64_t random) const;

  const KeyChoice& choice_;
  txn::PartitionId home_;
  std::uint64_t client_;
  std::uint64_t inserted_ = 0;
};

}  // namespace verbena::workloads::ycsb
