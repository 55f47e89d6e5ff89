// Chooses the records that one client of YCSB uses.
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

/// Partition and key of a record.
struct Place {
  txn::PartitionId partition = 0;
  txn::Key key = 0;

  auto operator<=>(const Place&) const = default;
};

/// The initial records of a run, numbered over the whole cluster; successive numbers are on
/// successive nodes. The keys of a node are 2^shift() apart, as far as 63 bits allow, so that
/// inserted records lie between them. Inserted records have odd keys.
struct KeySpace {
  std::uint32_t nodes = 1;
  std::uint64_t records_per_node = 1;  ///< 1 to 2^62

  std::uint64_t records() const { return nodes * records_per_node; }

  /// Logarithm of the distance between keys, 1 to 62.
  unsigned shift() const {
    return 63 -
           static_cast<unsigned>(std::bit_width(std::max(records_per_node, std::uint64_t{2}) - 1));
  }

  Place place(std::uint64_t number) const {
    return {.partition = static_cast<txn::PartitionId>(number % nodes),
            .key = number / nodes << shift()};
  }

  /// Number of odd keys of a node below the key that would follow its last initial one: at least
  /// 2^61.
  std::uint64_t odd_keys() const { return records_per_node << (shift() - 1); }
};

/// Distribution of choices, shared by all clients of a workload. Immutable.
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

/// Choices of one client. Not thread-safe.
///
/// - uniform: all initial records equally often.
/// - zipfian: initial records by Zipf's law. A fixed permutation maps ranks to records, so that
///   records of similar popularity are close neither in the key space nor on nodes.
/// - latest: Zipf's law over the client's own insertions, the newest first, then over the initial
///   records, the last first.
///
/// A client inserts under keys of its own, evenly scattered among the initial ones: a permutation
/// of the client's number and its count of insertions. So no client waits for another's counter, no
/// insertion hits an existing record, and scans find inserted records. "Latest" is that of a YCSB
/// client with its own insertion range; as a simplification, a client does not read the latest
/// insertions of others.
class KeyChooser {
 public:
  /// `choice` must outlive this object.
  KeyChooser(const KeyChoice& choice, const ClientPlace& client);

  /// Chooses an existing record.
  Place existing(Random& random) const;

  /// Place of the insertion that is `ahead` insertions after the next one.
  Place insertion(std::uint32_t ahead) const { return own(inserted_ + ahead); }

  /// Combines `count`, below 2^33, with the client's number to a number that no other client has.
  std::uint64_t unique_number(std::uint64_t count) const { return count << kClientBits | client_; }

  /// Tells that the next `count` insertions have been committed.
  void inserted(std::uint32_t count) { inserted_ += count; }

  /// True if a run inserted the record with this key.
  static bool is_inserted(txn::Key key) { return key % 2 == 1; }

 private:
  // A client's number consists of home, worker and fiber. It leaves 30 bits of odd_keys() for the
  // insertions of each client.
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
