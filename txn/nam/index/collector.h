// Taking out of a memory server's indexes what is in nobody's way but scans'.
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

/// An erased record keeps its entry and its place in the indexes as long as a snapshot may hold it
/// (NAM-DB paper, section 5.3). When none can, whoever scans passes over it and tells the
/// collector, a fiber in the background of the server's first worker, which READs the vector now
/// and then and gives such entries up: it locks the record, by an atomic of the server's
/// NIC as those of all others, and takes the key out. Whoever still comes to the entry sees by its
/// lock, or by another key, that his may have another entry by now. Where records cannot be
/// inserted nothing is taken out: keys that were loaded are inserted again where they were.
///
/// Scans would pass over all that was erased within `longest_transaction`, of which there may be
/// much, so most of it is set aside long before (KeyIndex::list), by a vector that was read a short
/// while ago.
class Collector {
 public:
  Collector(const Layout& layout, Nanoseconds longest_transaction)
      : layout_(layout), longest_transaction_(longest_transaction), horizon_(longest_transaction) {}

  /// For a handler that lists keys, at `now`: whether no snapshot holds a record that has this
  /// version now. Then it is taken out, soon. Thread-safe.
  bool takes(const RecordName& name, std::uint64_t entry, std::uint64_t version, Nanoseconds now);

  /// For such a handler: a record that has this version, which erased it, is passed over only by
  /// some from now on. It is taken out when no snapshot holds it. Thread-safe.
  void was_set_aside(const RecordName& name, std::uint64_t entry, std::uint64_t version);

  /// The vectors that were READ lately.
  const KnownVectors& vectors() const { return vectors_; }

  /// The body of the fiber, for as long as others run.
  void run(rdma::Worker& worker, const IndexOf& index_of);

 private:
  struct Found {
    RecordName name;
    std::uint64_t entry;
    std::uint64_t version;
    auto operator<=>(const Found&) const = default;
  };
  static constexpr std::size_t kAtOnce = 32;  // so that others have their turns
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
  Nanoseconds next_past_ = 0;  // when one is to be kept until it is old
};

}  // namespace verbena::txn::nam
