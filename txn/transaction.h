// A serializable transaction: optimistic concurrency control with primary-backup replication.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/request_batch.h"
#include "rdma/rpc_batch.h"
#include "txn/arena.h"
#include "txn/coordinator.h"
#include "txn/lock_word.h"
#include "txn/plan.h"
#include "txn/record.h"
#include "txn/table.h"

namespace verbena::txn {

class MessageWriter;
class TransactionNode;

/// The transactions of one fiber, one after the other (DrTM+H paper, section 2.2):
///
///     transaction.begin();
///     auto from = transaction.read(kChecking, partition, key);        // only noted
///     auto to = transaction.read(kChecking, other_partition, other);
///     if (!transaction.fetch()) return kAborted;                      // both fetched in parallel
///     if (transaction.value<Account>(from).cents < amount)
///       return transaction.roll_back() ? kRolledBack : kAborted;
///     transaction.update<Account>(from).cents -= amount;
///     transaction.update<Account>(to).cents += amount;
///     return transaction.commit() ? kCommitted : kAborted;
///
/// Phases: execute (read, fetch); validate (lock the write set and see that it is unchanged, then
/// see that what was only read is unchanged and unlocked); log (a record at every backup of every
/// written partition; once all are acknowledged, the transaction is committed); commit (write back
/// and unlock). Locking does not wait: a conflict aborts, so there are no deadlocks. Read-only
/// transactions validate what they read, unless it is one record, which is consistent by itself
/// (record.h).
///
/// Which primitive does what is the plan's. Where RNIC atomics lock, all locking and unlocking, of
/// the node's own records too, goes through the RNIC, by the loop-back queue pair; where CPUs lock,
/// the owner's handlers do.
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

  /// Notes that the record will be needed; the same record gives the same handle. At most
  /// max_records different ones.
  Handle read(TableId table, rdma::NodeId partition, Key key);

  /// Fetches what was noted and not fetched yet, in parallel if the plan says so. May be called
  /// repeatedly. False: the attempt is doomed (see cause()) and payloads are undefined.
  bool fetch();

  /// Whether the record exists; after fetch.
  bool found(Handle handle) const { return accesses_[handle].found; }

  /// The record's payload with this transaction's own changes; after fetch.
  std::span<const std::byte> payload(Handle handle) const;

  /// The same to be changed: the record becomes part of the write set. It must exist.
  std::span<std::byte> update_payload(Handle handle);

  /// The payload as a trivially copyable T of the payload's size.
  template <typename T>
  const T& value(Handle handle) const {
    return *reinterpret_cast<const T*>(payload(handle).data());
  }
  template <typename T>
  T& update(Handle handle) {
    return *reinterpret_cast<T*>(update_payload(handle).data());
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
  void wait(rdma::Nanoseconds duration) { worker_.sleep_until(worker_.now() + duration); }

  /// Why the attempt did not commit. kCount: it is not doomed.
  AbortCause cause() const { return cause_; }

  /// When the current attempt was decided: the time of its commit point.
  rdma::Nanoseconds decided_at() const { return decided_at_; }

 private:
  enum class Step : std::uint8_t { kReadBucket, kReadRecord, kAskOwner, kDone };

  struct Access {
    RecordName name;
    std::uint32_t entry;
    Step step;
    bool found;
    bool written;
    bool locked;           // by this attempt
    bool grouped;          // already part of a message of this phase
    std::uint32_t call;    // index of a pending call
    std::uint64_t bucket;  // offset of the bucket to read next
    std::byte* bucket_image;
    std::uint64_t version;  // as read
    std::byte* payload;
    std::byte* image;          // record as in registered memory; `payload` may lie in it
    std::byte* header;         // lock and version as validation sees them
    std::uint64_t found_lock;  // what the compare-and-swap found
  };

  const PhasePlan& read_plan() const;
  const RecordFormat& format(const Access& access) const;
  rdma::RemoteAddress address(const Access& access, std::uint32_t offset) const;
  bool local(const Access& access) const;
  void doom(AbortCause cause) {
    if (cause_ == AbortCause::kCount) cause_ = cause;
  }
  bool doomed() const { return cause_ != AbortCause::kCount; }
  rdma::Doorbell doorbell(const PhasePlan& phase) const {
    return phase.doorbell ? rdma::Doorbell::kBatched : rdma::Doorbell::kEach;
  }
  void post_and_wait(const PhasePlan& phase);

  // execute.cc
  void fetch_range(std::size_t first, std::size_t last);
  void start_access(Access& access);
  void locate(Access& access, bool use_cache);
  void read_local(Access& access);
  bool post_access(Access& access);
  void digest(Access& access);
  void digest_record(Access& access);
  void digest_bucket(Access& access);
  void digest_reply(Access& access);

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
  void put_into_ring(rdma::NodeId backup, std::uint64_t place, std::span<const std::byte> bytes);
  std::uint32_t compose_log_record(const Coordinator::LogSlot& slot, std::byte* memory);

  // commit.cc
  void write_back();
  void write_back_one_sided(Access& access);
  void write_back_local(Access& access);
  void flush_commit_requests();
  std::size_t message_bytes(const Access& access, rdma::RpcMethod method) const;
  void put_message(MessageWriter& message, const Access& access, rdma::RpcMethod method) const;
  template <typename Select>
  void send_groups(rdma::RpcMethod method, Select&& select);
  void send_commit_message(rdma::NodeId node, rdma::RpcMethod method);
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
  std::size_t fetched_ = 0;
  std::vector<Coordinator::LogSlot> log_slots_;
  std::vector<rdma::NodeId> written_partitions_;
  std::vector<std::byte> message_;
  std::vector<HistoryAccess> history_accesses_;
  Kind kind_ = Kind::kReadWrite;
  AbortCause cause_ = AbortCause::kCount;
  std::uint64_t owner_word_ = 0;
  std::uint64_t sequence_ = 0;  // attempts of this fiber
  bool any_written_ = false;
  bool active_ = false;
  rdma::Nanoseconds began_at_ = 0;
  rdma::Nanoseconds turn_began_ = 0;  // the turn of the event loop in which this attempt began
  rdma::Nanoseconds decided_at_ = 0;
};

}  // namespace verbena::txn
