// A transaction of a compute server over the records of memory servers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "rdma/base/message_io.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/age_limit.h"
#include "txn/nam/durability/journal.h"
#include "txn/nam/index/catalog_cache.h"
#include "txn/nam/index/extents.h"
#include "txn/nam/messages.h"
#include "txn/nam/node_options.h"
#include "txn/nam/oracle/known_vectors.h"
#include "txn/nam/oracle/snapshot_source.h"
#include "txn/nam/oracle/timestamps.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/records/server_memory.h"
#include "txn/nam/versions/version_choice.h"
#include "txn/nam/worker_metrics.h"
#include "txn/transaction.h"

namespace verbena::txn::nam {

/// Snapshot isolation by one-sided verbs (NAM-DB paper, sections 3 and 4). An attempt
/// - reads a snapshot of the vector of commits;
/// - READs records; of one whose current version the snapshot does not hold, the latest old version
///   that it holds. It reads through locks, and takes none;
/// - finds records that were not loaded by READs of hash buckets, and where these are, if that may
///   change, in a catalog; scans by RPC, which gives keys with their current versions, after the
///   snapshot: all that this holds has entries by then;
/// - locks what it writes by compare-and-swap of the versions that it read, which validates them,
///   and gives up at once if one has changed or is locked; keys that are in no entry it claims by
///   RPC, as locked records that were never there;
/// - where older versions are kept (Overflow), has those moved whose places it needs, by RPC;
/// - where journals are kept, writes down what it will install (Journal);
/// - of each record WRITEs the version that it replaces into its place among the old ones, then the
///   header of that, then the new version, which unlocks it;
/// - tells memory servers by small WRITEs which records will need a place soon (Mover);
/// - when all that has been acknowledged, WRITEs its slot of the vector: it has committed. Other
///   designs of the oracle do otherwise, see Timestamps.
/// What only reads commits without more ado. At a machine that is a memory server too, what is said
/// of READs and WRITEs of its records is by its CPU (ServerMemory). Belongs to its fiber.
class NamTransaction final : public txn::Transaction {
 public:
  /// `own_records`: see ServerMemory. `extents` and `catalog`, the worker's, may be null: it has
  /// none. `told` is the worker's.
  NamTransaction(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
                 const TransactionLimits& limits, const NodeOptions& options,
                 const LatestVector* latest, std::unique_ptr<Timestamps> timestamps,
                 const JournalLayout* journals, rdma::Region* own_records, Extents* extents,
                 CatalogCache* catalog, ToldVectors& told, WorkerMetrics& metrics);

  /// Of the worker's scratch memory, for each fiber.
  static std::size_t scratch_bytes(const Layout& layout, const TransactionLimits& limits,
                                   const NodeOptions& options);

  bool prefetches() const override { return true; }
  std::string waits_for() const override;

 protected:
  void begin_attempt(Kind kind) override;
  Handle note(const RecordName& name, Intent intent) override;
  /// Waits: workloads may use what belongs to their node after it, and nothing does.
  void prefetch_noted() override { static_cast<void>(fetch_noted()); }
  bool fetch_noted() override;
  /// Exactly the keys of the snapshot.
  bool scan_range(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys) override;
  /// By FETCH_AND_ADD, always of the NIC.
  std::uint64_t draw_number(const RecordName& name) override;
  bool commit_attempt() override;
  bool roll_back_attempt() override;

 private:
  enum class State : std::uint8_t {
    kBucket,   ///< one that may lead to the record is to be read
    kCurrent,  ///< its current version is
    kHeaders,  ///< the headers of its old versions are
    kOld,      ///< one of these is
    kLink,     ///< what precedes one in overflow is
    kMoved,    ///< one in overflow is
    kSettled,
  };
  struct Access {
    RecordName name;
    std::optional<std::uint64_t> entry;  // none: not known yet, or there is none
    State state = State::kCurrent;
    RemoteAddress bucket = {};         // in kBucket
    bool bucket_known = false;         // in kBucket: else it is to be found out
    CatalogCache::Entry catalog = {};  // by which it is known, where there is one
    std::uint32_t old_slot = 0;        // in kOld
    std::uint64_t old_version = 0;     // that is wanted there
    OldHeader link = {};               // in kLink and kMoved: of the version in overflow
    RecordImage image{nullptr};        // also a bucket's
    OldHeader* headers = nullptr;      // and one that is to be written, behind them
    bool headers_read = false;         // with the current version, by who writes
    bool locked = false;
    std::uint64_t found = 0;             // by the compare-and-swap
    std::uint32_t allotted = kAnyEntry;  // to be claimed
  };
  /// The step that an attempt is at, for waits_for().
  enum class Step : std::uint8_t { kReads, kScans, kLocks, kMoves, kLogs, kInstalls, kPublishes };
  /// A record that was in an attempt's way, and the version or lock that was found there.
  struct Conflict {
    RecordName name = {};
    std::uint64_t word = 0;
  };
  /// A key that a scan has listed.
  struct Scanned {
    ListedKey listed;
    OldHeader* headers = nullptr;  // to be read, since the current version is not in the snapshot
  };

  static std::size_t record_bytes(const Layout& layout, const TransactionLimits& limits);
  /// Where a record's headers are read, and behind them one that is to be written, if it is.
  static std::size_t cells_of_record(const Layout& layout) {
    return std::size_t{layout.headers_of_record()} + 1;
  }
  static std::size_t cells_of_scanned(const Layout& layout);
  static std::size_t catalog_bytes(const Layout& layout);
  static std::size_t scan_bytes(const Layout& layout, const TransactionLimits& limits);
  std::byte* allocate(std::size_t bytes);
  const Layout::Table& table(const Access& access) const {
    return layout_.table(access.name.table);
  }
  void need_snapshot();
  void request(Access& access, Intent intent);
  void consider(Access& access, Item& item);
  void take_bucket(Access& access, Item& item);
  void take_current(Access& access, Item& item);
  void take_headers(Access& access, Item& item);
  void take_old(Access& access, Item& item);
  void read_headers(Access& access);
  void read_link(Access& access);
  void settle(Access& access, Item& item, bool found);
  bool visible(std::uint64_t version) const;
  /// True if snapshots become useless.
  bool ages() const;
  bool check_age();
  void lose(const Access& access, AbortCause cause, std::uint64_t word);
  Versions choose(const OldHeader* headers, const OldHeader** best) const;

  // transaction_catalog.cc
  void find_buckets();
  void check_catalog();
  void read_catalog_version(NodeId home);
  void look_at_catalog_again(Access& access);

  // transaction_scan.cc
  ScanReply list_keys(const KeyRange& range, std::uint32_t limit);
  void take_listed(const KeyRange& range, std::uint32_t room, MessageReader& reply);
  void read_scanned_headers();
  std::optional<bool> present(const Scanned& scanned);
  void read_headers(const Scanned& scanned);

  // transaction_overflow.cc
  void follow(Access& access, const OldHeader& link);
  void take_link(Access& access, Item& item);
  void take_moved(Access& access, Item& item);
  std::optional<bool> present_in_overflow(const Scanned& scanned);
  bool blocked(const Access& access, std::uint32_t installs) const;
  void hint(const Access& access);
  bool make_room();
  bool waits_too_long() const;
  void move_old_versions();

  // transaction_waiting.cc
  std::string text(const RecordName& name) const;
  std::string holder_of(std::uint64_t lock) const;
  std::string reads() const;
  std::string in_the_way() const;

  // transaction_draw.cc
  void check_written() const;

  // transaction_commit.cc
  bool lock_all();
  void allot_entries(std::uint64_t owner);
  void claim_keys(std::uint64_t owner);
  void take_claims();
  void take_claim(std::size_t claimed, const Claim& claim);
  bool all_locked();
  NodeId server_of(std::size_t access) const;
  template <typename Message>
  void call_servers(std::vector<std::size_t>& accesses, rdma::RpcMethod method,
                    std::span<const std::byte> head, Message&& message);
  void set_back_erased();
  void unlock_all();
  void log(const Stamp& stamp);
  void install(const Stamp& stamp);
  bool give_up(const std::optional<Stamp>& stamp);
  bool end(bool committed);

  const Layout& layout_;
  const NodeOptions& options_;
  WorkerMetrics& metrics_;
  const std::uint32_t number_;  // of the fiber, which names its locks
  SnapshotSource snapshots_;
  AgeLimit age_limit_;
  std::unique_ptr<Timestamps> timestamps_;
  rdma::RequestBatch batch_;
  ServerMemory servers_;
  rdma::RpcBatch calls_;
  Extents* const extents_;
  CatalogCache* const catalog_;
  ToldVectors& told_;
  std::span<std::uint64_t> catalog_versions_;  // of homes, as they are READ
  std::vector<NodeId> catalog_homes_;          // whose versions the attempt has READ
  std::optional<Journal> journal_;
  std::vector<Journal::Change> changes_;  // of the entry that is being written
  std::span<OldHeader> scan_headers_;
  std::vector<Scanned> scanned_;
  RecordName scanned_name_;
  std::span<std::byte> memory_;              // of images, headers and payloads
  std::size_t used_ = 0;                     // of it
  std::span<const std::uint32_t> snapshot_;  // empty: not taken yet
  std::vector<Access> accesses_;
  std::vector<std::size_t> claimed_;  // accesses, in the order of their servers
  std::vector<std::size_t> erased_;   // those that are to be inserted again, likewise
  std::uint32_t hints_ = 0;           // that were given so far
  std::vector<std::size_t> blocked_;  // accesses whose next places for old versions are in use
  Step step_ = Step::kReads;
  Conflict conflict_;                // of the last attempt that had one
  std::size_t fetched_ = 0;          // accesses before it are settled
  Stamp last_commit_;                // of this fiber
  std::uint32_t attempts_ = 0;       // likewise, so far
  Nanoseconds full_since_ = kNever;  // when this transaction first found no room in overflow
  Nanoseconds began_at_ = 0;
  Nanoseconds snapshot_at_ = 0;  ///< when it began to be read
  Nanoseconds timestamp_time_ = 0;
  Nanoseconds lookup_time_ = 0;  // in indexes, before the commit
  Nanoseconds claim_time_ = 0;
};

// One call of each server, or as many as its messages hold. The accesses are sorted by servers.
template <typename Message>
void NamTransaction::call_servers(std::vector<std::size_t>& accesses, rdma::RpcMethod method,
                                  std::span<const std::byte> head, Message&& message) {
  using One = std::invoke_result_t<Message, const Access&>;
  const std::size_t most = (worker_.rpc().max_payload() - head.size()) / sizeof(One);
  std::ranges::stable_sort(accesses, {}, [this](std::size_t i) { return server_of(i); });
  for (std::size_t first = 0; first < accesses.size();) {
    const NodeId server = server_of(accesses[first]);
    std::size_t end = first;
    while (end < accesses.size() && end - first < most && server_of(accesses[end]) == server) ++end;
    MessageWriter out(calls_.reserve(server, method, head.size() + (end - first) * sizeof(One)));
    if (!head.empty()) out.put_padded(head);
    for (; first < end; ++first) out.put(message(accesses_[accesses[first]]));
  }
  calls_.post();
}

}  // namespace verbena::txn::nam
