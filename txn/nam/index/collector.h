// Removal of erased keys from a memory server's indexes.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/base/time.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/nam/index/horizon.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/oracle/known_vectors.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Removes keys of erased records, in a background fiber of the server's first worker.
///
/// An erased record keeps its entry and its place in the indexes as long as a snapshot may hold it
/// (NAM-DB paper, section 5.3). When none can, the scan that passes over it tells the collector.
/// The collector READs the vector now and then and gives such entries up: it locks the record, by
/// an atomic of the server's NIC like all lock holders, and removes the key. A fiber that still
/// comes to the entry sees by its lock, or by another key, that its record may have another entry
/// by now. In tables without insertion nothing is removed: loaded keys are inserted again where
/// they were.
///
/// Scans would pass over all records erased within `longest_transaction`, perhaps many, so most are
/// set aside long before (KeyIndex::list), by a vector that was read shortly before.
class Collector {
 public:
  Collector(const Layout& layout, Nanoseconds longest_transaction)
      : layout_(layout), longest_transaction_(longest_transaction), horizon_(longest_transaction) {}

  /// Returns true if `version` erased the record and all snapshots hold that; the record is then
  /// removed soon. For a handler that lists keys at `now`. Thread-safe.
  bool takes(const RecordName& name, std::uint64_t entry, std::uint64_t version, Nanoseconds now);

  /// Notes that a handler has set a record aside, which `version` erased: only some scans still
  /// come across it. Removes it when no snapshot holds it. Thread-safe.
  void was_set_aside(const RecordName& name, std::uint64_t entry, std::uint64_t version);

  /// Vectors READ lately.
  const KnownVectors& vectors() const { return vectors_; }

  /// Body of the fiber, which runs as long as others do.
  void run(rdma::Worker& worker, const IndexOf& index_of);

 private:
  struct Found {
    RecordName name;
    std::uint64_t entry;
    std::uint64_t version;
    auto operator<=>(const Found&) const = default;
  };
  static constexpr std::size_t kAtOnce = 32;  // so that other fibers have their turns
  std::vector<Found> take_found(Nanoseconds now);
  void read_vector(rdma::RequestBatch& batch, std::span<std::byte> memory, rdma::Worker& worker);
  void try_again(const std::vector<Found>& found);
  std::vector<Found> give_up(rdma::RequestBatch& batch, const std::vector<Found>& found,
                             std::span<std::uint64_t> locks, rdma::Worker& worker,
                             const IndexOf& index_of);

  const Layout& layout_;
  const Nanoseconds longest_transaction_;
  Horizon horizon_;
  SpinLock adding_;
  std::set<Found> found_;
  std::deque<Found> aside_;  // in the order in which they were set aside
  KnownVectors vectors_;
  Nanoseconds next_past_ = 0;  // time at which the next vector is kept until it is old
};

}  // namespace verbena::txn::nam
