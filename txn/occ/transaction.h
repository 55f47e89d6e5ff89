// A serializable transaction: optimistic concurrency control with primary-backup replication.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc_batch.h"
#include "txn/occ/arena.h"
#include "txn/occ/coordinator.h"
#include "txn/occ/messages.h"
#include "txn/occ/name_index.h"
#include "txn/plan/plan.h"
#include "txn/store/lock_word.h"
#include "txn/store/record.h"
#include "txn/table.h"

namespace verbena::txn {

class MessageWriter;
class TransactionNode;

/// The transactions of one fiber, one after the other (DrTM+H paper, section 2.2):
///
///     transaction.begin();
///     auto from = transaction.read(kChecking, partition, key);        // only noted
///     auto to = transaction.read(kChecking, other_partition, other);
///     if (!transaction.fetch()) return abandon(transaction);          // both fetched in parallel
///     if (transaction.value<Account>(from).cents < amount)
///       return transaction.roll_back() ? kRolledBack : kAborted;
///     transaction.update<Account>(from).cents -= amount;
///     transaction.update<Account>(to).cents += amount;
///     return transaction.commit() ? kCommitted : kAborted;
///
/// An attempt that is doomed has to be ended as well, by commit() or roll_back(), which then
/// release what it holds and return false: that is what abandon does above.
///
/// Records are inserted and erased by the same means: an insert is an update of a record that is
/// absent, an erase an update that makes it so.
///
///     auto order = transaction.read(kOrders, partition, number, Intent::kInsert);
///     if (!transaction.fetch()) return abandon(transaction);
///     if (transaction.found(order)) ...                               // somebody else was faster
///     transaction.create<Order>(order).customer = customer;
///
/// The owner adds an absent record to its indexes when the insert is fetched; whoever looks for the
/// key meanwhile finds it absent, and validates that.
///
/// Phases: execute (read, fetch); validate (lock the write set and see that it is unchanged, then
/// see that what was only read is unchanged and unlocked); log (a record at every backup of every
/// written partition; once all are acknowledged, the transaction is committed); commit (write back
/// and unlock). Locking does not wait: a conflict aborts, so there are no deadlocks. Read-only
/// transactions validate what they read, unless it is one record, which is consistent by itself
/// (record.h).
///
/// With Plan::lock_in_execution records that were read to be updated or inserted are locked by the
/// RPC that reads them (FaSST's protocol; DrTM+H paper, section 6.3), and validation only has to
/// see the others.
///
/// Which primitive does what is the plan's. Where RNIC atomics lock, all locking and unlocking, of
/// the node's own records too, goes through the RNIC, by the loop-back queue pair; where CPUs lock,
/// the owner's handlers do. Only a record that the node's own CPU adds in a place that no peer can
/// know yet is locked by the CPU from its beginning.
///
/// Belongs to its fiber. Allocates nothing once its vectors have grown.
class Transaction {
 public:
  enum class Kind : std::uint8_t { kReadWrite, kReadOnly };

  /// Names a record of the current transaction.
  using Handle = std::uint32_t;

  /// `fiber` numbers the worker's transactions in flight, from 0 to TransactionOptions::fibers - 1.
  Transaction(Coordinator& coordinator, std::uint16_t fiber);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// Starts an attempt and forgets the one before.
  void begin(Kind kind = Kind::kReadWrite);

  /// What a record is read for. Plans that lock in the execution phase lock what is not only read.
  enum class Intent : std::uint8_t {
    kRead,
    kUpdate,  ///< it will probably be updated or erased
    kInsert,  ///< it is expected to be absent and will be created
  };

  /// Notes that the record will be needed; the same record gives the same handle, and the first
  /// intent counts. At most as many as TransactionOptions::limits says.
  Handle read(TableId table, NodeId partition, Key key, Intent intent = Intent::kRead);

  /// Reads the noted records of this node; sends the requests for the others, if the plan lets them
  /// be outstanding, without waiting for answers (speculative execution, section 6.1). What belongs
  /// to this node may be used after it. Whether the attempt is doomed is told by fetch.
  void prefetch();

  /// Fetches what was noted and not fetched yet, in parallel if the plan says so. May be called
  /// repeatedly. False: the attempt is doomed (see cause()), payloads are undefined, and it is to
  /// be ended.
  bool fetch();

  /// Keys of the records of an ordered table in [first, last], ascending or descending, at most
  /// `limit` (see TransactionLimits); asks the owner and waits. Records that are being inserted or
  /// erased may be among them, and records that this transaction inserts are not: read the keys to
  /// know. That the range holds these keys is validated at commit. False: as of fetch.
  bool scan(TableId table, NodeId partition, Key first, Key last, bool descending,
            std::uint32_t limit, std::vector<Key>& keys);

  /// Whether the record exists; after fetch.
  bool found(Handle handle) const { return accesses_[handle].found; }

  /// The record's payload with this transaction's own changes; after fetch.
  std::span<const std::byte> payload(Handle handle) const;

  /// The same to be changed: the record becomes part of the write set. It must exist.
  std::span<std::byte> update_payload(Handle handle);

  /// The payload, all zero, that a record will have after commit. It must have been noted with
  /// Intent::kInsert and not exist.
  std::span<std::byte> create_payload(Handle handle);

  /// Makes the record absent after commit. It must exist.
  void erase(Handle handle);

  /// The payload as a trivially copyable T of the payload's size.
  template <typename T>
  const T& value(Handle handle) const {
    return *reinterpret_cast<const T*>(payload(handle).data());
  }
  template <typename T>
  T& update(Handle handle) {
    return *reinterpret_cast<T*>(update_payload(handle).data());
  }
  template <typename T>
  T& create(Handle handle) {
    return *reinterpret_cast<T*>(create_payload(handle).data());
  }

  /// Ends the attempt. True: committed. False: aborted by a conflict, all locks are released (or
  /// will be, without being waited for, if the plan's commit phase is passive); see cause().
  bool commit();

  /// Ends the attempt without effect at the application's wish. True: what was read is a state that
  /// existed, so the wish stands. False: it was not, and the attempt counts as aborted by the
  /// conflict. One record is consistent by itself; several are validated like those of a read-only
  /// transaction.
  bool roll_back();

  /// Records noted so far; handles count from 0.
  std::uint32_t records() const { return static_cast<std::uint32_t>(accesses_.size()); }

  /// Lets others have the worker for `duration`, e.g. before a transaction is tried again.
  void wait(Nanoseconds duration) { worker_.sleep_until(worker_.now() + duration); }

  /// Why the attempt did not commit. kCount: it is not doomed.
  AbortCause cause() const { return cause_; }

  /// When the current attempt was decided: the time of its commit point.
  Nanoseconds decided_at() const { return decided_at_; }

 private:
  // Entry of a record that no index has.
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  enum class Step : std::uint8_t { kNoted, kReadBucket, kReadRecord, kAskOwner, kDone };

  struct Access {
    RecordName name;
    std::uint32_t entry;
    Step step;
    Intent intent;
    bool posted;      // the step's request is in flight
    bool remembered;  // `entry` is what the location cache says
    bool located;     // the record is there, or to be inserted: it can be locked and validated
    bool found;       // it is not absent
    bool written;
    bool erased;
    bool locked;           // by this attempt
    bool born;             // locked by this node's CPU before anybody could find it
    bool grouped;          // already part of a message of this phase
    std::uint32_t call;    // index of a pending call
    std::uint64_t bucket;  // offset of the bucket to read next
    std::byte* bucket_image;
    std::uint64_t version;  // as read; the stamp of the look-up of what is nowhere
    std::byte* payload;
    std::byte* image;          // record as in registered memory; `payload` may lie in it
    std::byte* header;         // lock and version as validation sees them
    std::uint64_t found_lock;  // what the compare-and-swap found
  };

  // What validation has to find again of a record that was absent.
  struct Absence {
    std::uint32_t access;
    std::uint32_t entry;
    std::uint64_t version;
  };

  // A scan and what it gave, to be repeated at validation.
  struct Scan {
    ScanRequest request;
    NodeId partition;
    std::uint64_t digest;
    std::uint32_t call;
  };

  const PhasePlan& read_plan() const;
  const RecordFormat& format(const Access& access) const;
  RemoteAddress address(const Access& access, std::uint32_t offset) const;
  bool local(const Access& access) const;
  void doom(AbortCause cause) {
    if (cause_ == AbortCause::kCount) cause_ = cause;
  }
  bool doomed() const { return cause_ != AbortCause::kCount; }
  rdma::Doorbell doorbell(const PhasePlan& phase) const {
    return phase.doorbell ? rdma::Doorbell::kBatched : rdma::Doorbell::kEach;
  }
  void post_and_wait(const PhasePlan& phase);

  static bool only_read(const Access& access) { return !access.written && !access.locked; }
  static bool to_lock(const Access& access) { return access.written && !access.locked; }
  Handle add_access(const RecordName& name, Intent intent);
  static std::uint64_t new_version(const Access& access) {
    return next_version(access.version, !access.erased);
  }

  // execute.cc
  void start(std::size_t first, std::size_t last, bool remote_too);
  void finish_rounds(std::size_t first, std::size_t last);
  bool post_round(std::size_t first, std::size_t last);
  void await_outstanding();
  void start_access(Access& access);
  void locate(Access& access, bool use_cache);
  void read_bucket_of(Access& access);
  void read_local(Access& access);
  bool locks_now(const Access& access) const;
  bool post_access(Access& access);
  void digest(Access& access);
  void digest_record(Access& access);
  void digest_bucket(Access& access);
  void digest_reply(Access& access);
  static void digest_presence(Access& access);

  // phantoms.cc
  void post_scan(Scan& scan);
  bool look_up_again(const PhasePlan& phase);
  void validate_absence(const PhasePlan& phase);
  void validate_scans(const PhasePlan& phase);

  // validate.cc
  bool lock_write_set();
  void post_lock(Access& access);
  void digest_lock(Access& access);
  void lock_one_sided();
  void lock_two_sided();
  void validate_read_set(const PhasePlan& phase);
  void validate_one_sided(const PhasePlan& phase);
  void validate_two_sided(const PhasePlan& phase);
  void check_header(const Access& access, std::uint64_t lock, std::uint64_t version);
  void check_local(const Access& access);
  void digest_group_replies(bool locking);
  template <typename Select>
  void for_each_group(const PhasePlan& phase, rdma::RpcMethod method, Select&& select);

  // replicate.cc
  void write_logs();
  void plan_log_slots();
  void write_log_record(const Coordinator::LogSlot& slot);
  void put_into_ring(NodeId backup, std::uint64_t place, std::span<const std::byte> bytes);
  std::uint32_t compose_log_record(const Coordinator::LogSlot& slot, std::byte* memory);

  // commit.cc
  void write_back();
  void write_back_one_sided(Access& access);
  void write_back_local(Access& access);
  void unindex_erased();
  bool locked_by_cpu(const Access& access) const;
  static RecordUpdate update_of(const Access& access);
  void flush_commit_requests();
  std::size_t message_bytes(const Access& access, rdma::RpcMethod method) const;
  void put_message(MessageWriter& message, const Access& access, rdma::RpcMethod method) const;
  template <typename Select>
  void send_groups(rdma::RpcMethod method, Select&& select);
  void send_commit_message(NodeId node, rdma::RpcMethod method);
  void release_locks();
  void finish(bool committed);
  void record_history(bool committed);

  TransactionNode& node_;
  Coordinator& coordinator_;
  rdma::Worker& worker_;
  std::uint16_t fiber_;
  Arena arena_;
  rdma::RequestBatch requests_;
  rdma::RpcBatch calls_;
  std::vector<Access> accesses_;
  NameIndex names_;           // of accesses_, where they are many
  std::size_t started_ = 0;   // accesses that are fetched or in flight
  std::size_t fetched_ = 0;   // of these, the first that are done
  bool outstanding_ = false;  // requests of the execution phase are in flight
  std::vector<Scan> scans_;
  std::vector<Absence> absences_;
  std::vector<Coordinator::LogSlot> log_slots_;
  std::vector<NodeId> written_partitions_;
  std::vector<std::byte> message_;
  std::vector<HistoryAccess> history_accesses_;
  Kind kind_ = Kind::kReadWrite;
  AbortCause cause_ = AbortCause::kCount;
  std::uint64_t owner_word_ = 0;
  std::uint64_t sequence_ = 0;  // attempts of this fiber
  bool any_written_ = false;
  bool active_ = false;
  Nanoseconds began_at_ = 0;
  Nanoseconds turn_began_ = 0;  // the turn of the event loop in which this attempt began
  Nanoseconds decided_at_ = 0;
};

}  // namespace verbena::txn
