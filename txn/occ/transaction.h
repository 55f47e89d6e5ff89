// A serializable transaction: optimistic concurrency control with primary-backup replication.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc_batch.h"
#include "txn/occ/arena.h"
#include "txn/occ/coordinator.h"
#include "txn/occ/measures.h"
#include "txn/occ/messages.h"
#include "txn/occ/name_index.h"
#include "txn/plan/plan.h"
#include "txn/store/lock_word.h"
#include "txn/store/record.h"
#include "txn/table.h"
#include "txn/transaction.h"

namespace verbena::txn::occ {

class MessageWriter;
class TransactionNode;

/// Optimistic concurrency control (DrTM+H paper, section 2.2). The owner adds an absent record to
/// its indexes when an insert is fetched; whoever looks for the key meanwhile finds it absent, and
/// validates that.
///
/// Phases: execute (prefetch, fetch, scan); validate (lock the write set and see that it is
/// unchanged, then see that what was only read is unchanged and unlocked); log (a record at every
/// backup of every written partition; once all are acknowledged, the transaction is committed);
/// commit (write back and unlock). Locking does not wait: a conflict aborts, so there are no
/// deadlocks. Read-only transactions validate what they read, unless it is one record, which is
/// consistent by itself (record.h).
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
class Transaction final : public txn::Transaction {
 public:
  /// `fiber` numbers the worker's transactions in flight, from 0 to TransactionOptions::fibers - 1.
  Transaction(Coordinator& coordinator, std::uint16_t fiber);
  ~Transaction() override;

  using txn::Transaction::begin;
  using txn::Transaction::want;

  void begin(Kind kind) override;
  Handle want(const RecordName& name, Intent intent) override;

  /// Reads the noted records of this node; sends the requests for the others, if the plan lets them
  /// be outstanding (speculative execution, section 6.1).
  void prefetch() override;

  /// In parallel if the plan says so.
  bool fetch() override;

  /// Asks the owner. That the range holds these keys is validated at commit.
  bool scan(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys) override;

  bool commit() override;

  /// One record is consistent by itself; several are validated like those of a read-only
  /// transaction.
  bool roll_back() override;

 private:
  // Entry of a record that no index has.
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  // How far the look-up of a record has come. The request that belongs to a kRead... or kAskOwner
  // state is in flight while Access::posted.
  enum class State : std::uint8_t {
    kNoted,           // nothing was done for it
    kReadBucket,      // the next bucket of its index is read
    kReadRecord,      // it is read where a bucket says that it is
    kReadRemembered,  // it is read where the location cache says that it is
    kAskOwner,        // an RPC asks for it
    kConflict,        // another transaction was in the way; the attempt is doomed
    kAbsent,          // there is no such record: nothing to lock, and its absence is validated
    kLocated,         // it is there, or to be inserted: it can be locked and validated
  };

  // What this attempt holds of a record's lock.
  enum class Lock : std::uint8_t {
    kNone,
    kHeld,
    kBorn,  // the record was locked by this node's CPU before anybody else could find it
  };

  struct Access {
    RecordName name;
    Item* item;
    std::uint32_t entry;
    State state;
    Lock lock;
    bool posted;           // the request that its state names is in flight
    bool grouped;          // already part of a message of this phase
    std::uint32_t call;    // index of a pending call
    std::uint64_t bucket;  // offset of the bucket to read next
    std::byte* bucket_image;
    std::uint64_t version;     // as read; the stamp of the look-up of what is nowhere
    std::byte* image;          // record as in registered memory; the payload may lie in it
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
  rdma::Doorbell doorbell(const PhasePlan& phase) const {
    return phase.doorbell ? rdma::Doorbell::kBatched : rdma::Doorbell::kEach;
  }
  void post_and_wait(const PhasePlan& phase);

  static bool locked(const Access& access) { return access.lock != Lock::kNone; }
  static bool located(const Access& access) { return access.state == State::kLocated; }
  static bool settled(const Access& access) { return access.state >= State::kConflict; }
  static bool only_read(const Access& access) { return !access.item->written && !locked(access); }
  static bool to_lock(const Access& access) { return access.item->written && !locked(access); }
  Handle add_access(const RecordName& name, Intent intent);
  static std::uint64_t new_version(const Access& access) {
    return next_version(access.version, !access.item->erased);
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
  static void settle(Access& access);
  static void settle_nowhere(Access& access);

  // scan_and_absence.cc
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
  void finish(bool committed, Nanoseconds decided_at);
  void record_history(bool committed, Nanoseconds decided_at);
  void record_phases(Nanoseconds executed, Nanoseconds validated, Nanoseconds logged);

  TransactionNode& node_;
  Coordinator& coordinator_;
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
  std::uint64_t owner_word_ = 0;
  std::uint64_t sequence_ = 0;  // attempts of this fiber
  Nanoseconds began_at_ = 0;
  Nanoseconds turn_began_ = 0;  // the turn of the event loop in which this attempt began
};

}  // namespace verbena::txn::occ
