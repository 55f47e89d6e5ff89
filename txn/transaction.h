// The transaction as workloads see it, whichever system runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/time.h"
#include "txn/attempt_records.h"
#include "txn/attempt_status.h"
#include "txn/client_recorder.h"
#include "txn/metrics.h"
#include "txn/schema/table.h"
#include "txn/stamp.h"

namespace verbena::rdma {
class Worker;
}  // namespace verbena::rdma

namespace verbena::txn {

/// The transactions of one fiber, one after the other:
///
///     transaction.begin();
///     auto from = transaction.want(kChecking, partition, key);        // only noted
///     auto to = transaction.want(kChecking, other_partition, other);
///     if (!transaction.fetch()) return abandon(transaction);          // both fetched in parallel
///     if (transaction.value<Account>(from).cents < amount) return roll_back(transaction);
///     transaction.update<Account>(from).cents -= amount;
///     transaction.update<Account>(to).cents += amount;
///     return transaction.commit() ? kCommitted : kAborted;
///
/// Every attempt that was begun is ended, by commit(), roll_back() or abandon(); then nothing that
/// it locked stays locked. An attempt can be doomed by a conflict before it is ended.
///
/// Records are inserted and erased by the same means: an insert is an update of a record that is
/// absent, an erase an update that makes it so.
///
///     auto order = transaction.want(kOrders, partition, number, Intent::kInsert);
///     if (!transaction.fetch()) return abandon(transaction);
///     if (transaction.found(order)) ...                               // somebody else was faster
///     transaction.create<Order>(order).customer = customer;
///
/// A system derives from this class and overrides what follows `protected`. What is known of each
/// record lies in `items_` (AttemptRecords). Attempts can be recorded as clients see them, whatever
/// the system (record_to). Belongs to its fiber; not thread-safe.
class Transaction : public AttemptRecords {
 public:
  virtual ~Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// Starts an attempt and forgets the one before, which must have ended.
  void begin(Kind kind = Kind::kReadWrite);

  /// Notes that the record will be needed, and reads nothing. The same record gives the same
  /// handle, and the first intent counts. At most as many as TransactionLimits says.
  Handle want(const RecordName& name, Intent intent) {
    if (intent == Intent::kOverwrite && !overwrites()) intent = Intent::kUpdate;
    const Handle handle = note(name, intent);
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->want(name, handle);
    return handle;
  }
  Handle want(TableId table, PartitionId partition, Key key, Intent intent = Intent::kRead) {
    return want(RecordName{.table = table, .partition = partition, .key = key}, intent);
  }

  /// A hint to begin fetching what was noted, without waiting for answers. What belongs to this
  /// node may be used after it. Whether the attempt is doomed is told by fetch.
  void prefetch() {
    prefetch_noted();
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->fetch(items_);
  }

  /// True if prefetch begins anything for records of other nodes, rather than leave it to fetch.
  virtual bool prefetches() const { return false; }

  /// True when payloads of records that are wanted with Intent::kOverwrite are not fetched; else
  /// these are records to be updated.
  virtual bool overwrites() const { return false; }

  /// Fetches what was noted and not fetched yet. May be called repeatedly. False: the attempt is
  /// doomed (see cause()), payloads are undefined, and it is to be ended.
  bool fetch() {
    const bool fetched = fetch_noted();
    if (fetched && recorder_ != nullptr) [[unlikely]]
      recorder_->fetch(items_);
    return fetched;
  }

  /// Keys of the records in `range`, at most `limit` (see TransactionLimits), and waits for them.
  /// Records that are being inserted or erased may be among them, and records that this attempt
  /// inserts are not: want the keys to know. That the range holds these keys is as certain as the
  /// system's isolation level makes it. False: as of fetch. Only of systems whose SystemInfo says
  /// that they scan.
  bool scan(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys);

  /// The next number of a record that counts outside of transactions: gives the first 8 B of its
  /// payload and adds one to them, at once, in one step that all who draw take one after the other.
  /// Waits. No conflict comes of it; but it is no part of the attempt: a number that was drawn
  /// stays so when the attempt does not commit, the record's version stays as it is, and whoever
  /// reads the record finds any number that it has had or will have, whatever else his attempt
  /// reads. The record was loaded, and is of a table that says so (TableDefinition::drawn_by): an
  /// attempt that wrote it would undo what was drawn meanwhile. Only of systems whose SystemInfo
  /// says that they draw.
  std::uint64_t draw(TableId table, PartitionId partition, Key key);

  /// Ends the attempt. True: committed. False: aborted by a conflict; see cause(). Locks are
  /// released, or will be without being waited for.
  bool commit();

  /// Ends the attempt without effect at the application's wish. True: what was read is a state that
  /// existed, so the wish stands. False: it was not, and the attempt counts as aborted by the
  /// conflict.
  bool roll_back();

  /// Ends an attempt that is doomed; the cause is counted. Throws std::logic_error for one that is
  /// not, since ending it would commit it.
  void abandon();

  /// Each attempt is written down by `recorder`, which must outlive this; null: by none. To be
  /// called between attempts.
  void record_to(ClientRecorder* recorder) { recorder_ = recorder; }

  /// Lets others have the worker for `duration`, e.g. before a transaction is tried again.
  virtual void wait(Nanoseconds duration);

  /// Why the attempt will not, or did not, commit; nothing if it is not doomed.
  std::optional<AbortCause> cause() const { return status_.cause(); }

  /// Tells people what the attempt that is under way waits for, or what was in the last one's way;
  /// empty where the system does not tell. To be called by whoever runs the transaction, or when
  /// nothing runs any more.
  virtual std::string waits_for() const { return {}; }

  /// True after an attempt that was aborted because of what the dead have left (waits_for() says
  /// of what): others at the same records would be, too, so the transaction is not tried again.
  virtual bool gives_up() const { return false; }

  /// When the latest attempt was decided: the time of its commit point, or of its end.
  Nanoseconds decided_at() const { return decided_at_; }

 protected:
  explicit Transaction(rdma::Worker& worker) : worker_(worker) {}

  // A system's part of the functions above, whose promises these have.
  virtual void begin_attempt(Kind kind) = 0;
  virtual Handle note(const RecordName& name, Intent intent) = 0;
  virtual void prefetch_noted() {}
  virtual bool fetch_noted() = 0;
  virtual bool scan_range(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys);
  virtual std::uint64_t draw_number(const RecordName& name);
  virtual bool commit_attempt() = 0;
  virtual bool roll_back_attempt() = 0;

  /// To be called by an attempt that writes when it holds all that it will write, before it looks
  /// again at what it has only read, or at the age of its snapshot: if it commits, it is in the
  /// serial order where it is now. The first time counts.
  void take_place() {
    if (recorder_ != nullptr) [[unlikely]]
      record_place();
  }

  /// To be called by an attempt of a system that orders attempts by timestamps
  /// (SystemInfo::ordered_by_timestamps), before anybody can see what it writes: if it commits, or
  /// is rolled back by its client, this is its place in the serial order. No two that commit have
  /// the same, and none has 0. The last time counts.
  void take_timestamp(std::uint64_t timestamp) {
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->take_timestamp(timestamp);
  }

  /// To be called once by an attempt of a system with snapshots, before its first fetch: what it
  /// reads was committed by then.
  void take_snapshot(const ReadSnapshot& snapshot) {
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->take_snapshot(snapshot);
  }

  /// To be called by an attempt of such a system that writes, beside take_place: `stamp` is what
  /// its commit will be known by.
  void take_stamp(const Stamp& stamp) {
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->take_stamp(stamp);
  }

  /// To be called first by begin_attempt.
  void start_attempt(Kind kind) {
    status_.begin();
    start_records(kind);
  }

  /// To be called last by commit_attempt and roll_back_attempt.
  void end_attempt(Nanoseconds decided_at) {
    status_.end();
    decided_at_ = decided_at;
  }

  /// The attempt will not commit; the first cause counts.
  void doom(AbortCause cause) { status_.doom(cause); }
  bool doomed() const { return status_.doomed(); }

  /// True between begin and the attempt's end.
  bool active() const { return status_.active(); }

  rdma::Worker& worker_;
  AttemptStatus status_;

 private:
  void record_place();

  Nanoseconds decided_at_ = 0;
  ClientRecorder* recorder_ = nullptr;
};

}  // namespace verbena::txn
