// Writing down what one client sees.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/time.h"
#include "txn/attempt_records.h"
#include "txn/client_history.h"
#include "txn/schema/table.h"
#include "txn/stamp.h"

namespace verbena::txn {

/// Told by a Transaction of each of its attempts (Transaction::record_to). Belongs to its fiber.
class ClientRecorder {
 public:
  /// Both must outlive it; `history` may be one that the worker's other clients write to.
  ClientRecorder(const ClientId& client, MomentSource& moments, ClientHistory& history)
      : moments_(&moments), history_(history) {
    attempt_.client = client;
  }

  void begin(Nanoseconds now);

  /// A record was noted, perhaps again.
  void want(const RecordName& name, AttemptRecords::Handle handle);

  /// Notes records that were fetched, as far as they are not noted yet.
  void fetch(std::span<const AttemptRecords::Item> items);

  void scan(const KeyRange& range, std::uint32_t limit, std::span<const Key> keys);

  /// The attempt holds all that it is to write; the first time counts.
  void take_place(Nanoseconds now);

  /// The attempt's place in an order by timestamps; the last time counts. Not 0.
  void take_timestamp(std::uint64_t timestamp) {
    assert(timestamp != 0);
    attempt_.timestamp = timestamp;
  }

  /// The attempt reads what `snapshot` holds. Once per attempt.
  void take_snapshot(const ReadSnapshot& snapshot);

  /// If the attempt commits, its writes are known by `stamp`. After take_snapshot.
  void take_stamp(const Stamp& stamp);

  /// The client is done with these records.
  void write(std::span<const AttemptRecords::Item> items);

  void end(Outcome outcome, Nanoseconds now);

  /// The run is over: moments come from `moments` now, which come after all that it had.
  void end_run(MomentSource& moments) { moments_ = &moments; }

  /// The client is gone, in the midst of an attempt perhaps, which has committed if `published`
  /// holds its writes; else nothing is known of it yet.
  void keep(std::span<const std::uint32_t> published);

  /// The client is gone, in the midst of an attempt perhaps: that has committed if a snapshot holds
  /// its writes by which all is that was published.
  void lose(std::span<const std::uint32_t> published);

  /// When the current attempt began; kAfterAll between attempts.
  Moment began() const { return active_ ? attempt_.began : kAfterAll; }

 private:
  bool holds(std::span<const std::uint32_t> published) const;
  void add_snapshot();

  MomentSource* moments_;
  ClientHistory& history_;
  ClientAttempt attempt_;
  std::vector<ClientAccess> accesses_;
  std::vector<ClientScan> scans_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> counts_;  // of the snapshot; empty: none
  ClientSnapshot snapshot_;            // but for where its counts will be
  bool active_ = false;
};

}  // namespace verbena::txn
