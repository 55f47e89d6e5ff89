// A transaction of a compute server over the records of memory servers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rdma/one_sided/request_batch.h"
#include "txn/nam/layout.h"
#include "txn/nam/record_image.h"
#include "txn/nam/snapshot_reader.h"
#include "txn/nam/worker_metrics.h"
#include "txn/transaction.h"

namespace verbena::txn::nam {

/// Snapshot isolation by one-sided verbs (NAM-DB paper, sections 3 and 4). An attempt
/// - reads a snapshot of the vector of commits;
/// - READs records; of one whose current version the snapshot does not hold, the latest old version
///   that it holds. It reads through locks, and takes none;
/// - locks what it writes by compare-and-swap of the versions that it read, which validates them,
///   and gives up at once if one has changed or is locked;
/// - of each record WRITEs the version that it replaces into its place among the old ones, then the
///   header of that, then the new version, which unlocks it;
/// - when all that has been acknowledged, WRITEs its slot of the vector: it has committed.
/// What only reads commits without more ado. Belongs to its fiber.
class NamTransaction final : public txn::Transaction {
 public:
  NamTransaction(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
                 const TransactionLimits& limits, bool stable_snapshots, WorkerMetrics& metrics);

  /// Of the worker's scratch memory, for each fiber.
  static std::size_t scratch_bytes(const Layout& layout, const TransactionLimits& limits);

 protected:
  void begin_attempt(Kind kind) override;
  Handle note(const RecordName& name, Intent intent) override;
  /// Waits: workloads may use what belongs to their node after it, and nothing does.
  void prefetch_noted() override { static_cast<void>(fetch_noted()); }
  bool fetch_noted() override;
  bool commit_attempt() override;
  bool roll_back_attempt() override;

 private:
  enum class State : std::uint8_t {
    kCurrent,  ///< its current version is to be read
    kHeaders,  ///< the headers of its old versions are
    kOld,      ///< one of these is
    kSettled,
  };
  struct Access {
    RecordName name;
    std::optional<std::uint64_t> index;  // none: there is no such record, and never was
    State state = State::kCurrent;
    std::uint32_t old_slot = 0;     // in kOld
    std::uint64_t old_version = 0;  // that is wanted there
    RecordImage image{nullptr};
    OldHeader* headers = nullptr;
    bool locked = false;
    std::uint64_t found = 0;  // by the compare-and-swap
  };

  std::byte* allocate(std::size_t bytes);
  const Layout::Table& table(const Access& access) const {
    return layout_.table(access.name.table);
  }
  void take_new_snapshot();
  void request(Access& access);
  void consider(Access& access, Item& item);
  void take_current(Access& access, Item& item);
  void take_headers(Access& access);
  void take_old(Access& access, Item& item);
  void settle(Access& access, Item& item);
  bool visible(std::uint64_t version) const;
  bool lock_all();
  void unlock_all();
  void install(const Stamp& stamp);
  void publish(const Stamp& stamp);
  bool end(bool committed);

  const Layout& layout_;
  WorkerMetrics& metrics_;
  const std::uint32_t slot_;
  SnapshotReader reader_;
  rdma::RequestBatch batch_;
  std::span<std::byte> memory_;              // of images, headers and payloads
  std::size_t used_ = 0;                     // of it
  std::span<const std::uint32_t> snapshot_;  // empty: not taken yet
  std::vector<Access> accesses_;
  std::size_t fetched_ = 0;     // accesses before it are settled
  std::uint32_t commits_ = 0;   // of this fiber, so far
  std::uint32_t attempts_ = 0;  // likewise
  Nanoseconds began_at_ = 0;
  Nanoseconds timestamp_time_ = 0;
};

}  // namespace verbena::txn::nam
