// Serializable transactions: optimistic concurrency control with primary-backup replication.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "txn/occ/attempt/attempt.h"
#include "txn/occ/attempt/attempt_recorder.h"
#include "txn/occ/attempt/check_calls.h"
#include "txn/occ/commit/commit_sender.h"
#include "txn/occ/commit/locks.h"
#include "txn/occ/commit/log_writer.h"
#include "txn/occ/commit/read_validation.h"
#include "txn/occ/commit/write_back.h"
#include "txn/occ/execution/absent_keys.h"
#include "txn/occ/execution/execution.h"
#include "txn/occ/execution/look_up.h"
#include "txn/occ/execution/scans.h"
#include "txn/schema/table.h"
#include "txn/transaction.h"

namespace verbena::txn::occ {

class Coordinator;

/// Runs transactions under optimistic concurrency control (DrTM+H paper, section 2.2). When an
/// insert is fetched, the owner adds an absent record to its indexes; transactions that look for
/// the key meanwhile find it absent, and validate that.
///
/// Phases:
/// - execute: prefetch, fetch, scan;
/// - validate: lock the write set and check that it is unchanged, then check that records only read
///   are unchanged and unlocked;
/// - log: write a record at every backup of every written partition; when all are acknowledged, the
///   transaction is committed;
/// - commit: write back and unlock.
///
/// Locking does not wait: a conflict aborts, so there are no deadlocks. Read-only transactions
/// validate what they read, unless it is one record, which is consistent by itself (record.h).
///
/// With Plan::lock_in_execution, the RPC that reads a record to update or insert also locks it
/// (FaSST's protocol; DrTM+H paper, section 6.3), and validation checks only the others.
///
/// The plan chooses the primitive of each phase. Each phase is a class of its own; they share the
/// Attempt.
///
/// Belongs to its fiber. Allocates nothing once its vectors have grown.
class Transaction final : public txn::Transaction {
 public:
  /// `fiber` numbers the worker's transactions in flight, from 0 to NodeOptions::fibers - 1.
  Transaction(Coordinator& coordinator, std::uint16_t fiber);
  ~Transaction() override;

  /// True if the plan lets requests of the execution phase be outstanding.
  bool prefetches() const override;

  /// Tells what the transaction waits for (transaction_waiting.cc).
  std::string waits_for() const override;

 private:
  /// Step of an attempt, for waits_for().
  enum class Step : std::uint8_t { kExecutes, kLocks, kValidates, kLogs, kWritesBack, kReleases };

  void begin_attempt(Kind kind) override;
  Handle note(const RecordName& name, Intent intent) override;

  /// Reads the noted records of this node; sends requests for the others if the plan lets them be
  /// outstanding (speculative execution, section 6.1).
  void prefetch_noted() override;

  /// Fetches in parallel if the plan says so.
  bool fetch_noted() override;

  /// Asks the owner. Commit validates that the range holds these keys.
  bool scan_range(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys) override;

  bool commit_attempt() override;

  /// Validates what was read, as in a read-only transaction, unless it is one record, which is
  /// consistent by itself.
  bool roll_back_attempt() override;

  void validate();
  bool needs_validation() { return attempt_.accesses().size() > 1 || !scans_.empty(); }
  void validate_reads(const PhasePlan& phase);
  bool abort();
  std::string in_the_way() const;
  void end(Nanoseconds decided_at);

  Attempt attempt_;
  LookUp look_up_;
  Execution execution_;
  CheckCalls check_calls_;
  CommitSender sender_;
  Locks locks_;
  ReadValidation read_validation_;
  AbsentKeys absent_keys_;
  Scans scans_;
  LogWriter log_writer_;
  WriteBack write_back_;
  AttemptRecorder recorder_;
  Step step_ = Step::kExecutes;
};

}  // namespace verbena::txn::occ
