// Check that what clients saw fits one order of their transactions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "txn/check/anomalies/anomaly.h"
#include "txn/check/anomalies/anomaly_search.h"
#include "txn/check/anomalies/history_checker.h"
#include "txn/check/anomalies/initial_values.h"
#include "txn/check/anomalies/scanned_keys.h"
#include "txn/check/replay/moment_set.h"
#include "txn/check/replay/version_table.h"
#include "txn/client_history.h"
#include "txn/system_info.h"

namespace verbena::txn {

/// Replays the attempts of a run against a plain model of its tables. Those that wrote follow each
/// other by when they held all that they wrote (ClientAttempt::placed), which lies within their
/// time; each has to have read what the model holds there. Committed ones that only read, and those
/// that were rolled back by their clients, have to have read what the model held at one moment
/// within their time. So what passes is strictly serializable, in this order, and a first attempt
/// that does not fit ends the replay: it is explained (find_anomaly), or else it is not where its
/// system says that it is.
///
/// Where only serializability is promised, times do not count and another order will do as well: an
/// attempt that does not fit is an anomaly if the attempts up to there, or all in the end, form a
/// cycle.
///
/// Forgets what was replayed, except the latest attempts, which explanations are made of, one value
/// of each record that was asked for, and the keys of scanned partitions; forgets nothing where
/// times do not count. Not thread-safe.
class SerializabilityCheck final : public HistoryChecker {
 public:
  static constexpr std::size_t kRemembered = 1 << 16;

  /// True if a promise can be checked this way.
  static bool can_check(Isolation isolation);

  /// Throws std::logic_error for a promise that cannot be checked. `remembered`: so many attempts
  /// at least are not forgotten.
  SerializabilityCheck(const Schema& schema, Isolation isolation,
                       std::size_t remembered = kRemembered);

  SerializabilityCheck(const SerializabilityCheck&) = delete;
  SerializabilityCheck& operator=(const SerializabilityCheck&) = delete;

  void add(ClientHistory history) override;
  void replay(Moment now) override;
  void finish() override;
  void compare_final(std::span<const FinalValue> found) override;
  void visit_records(const std::function<void(const RecordName& record)>& visitor) const override;
  std::uint64_t replayed() const override { return replayed_; }
  const std::optional<Anomaly>& anomaly() const override { return anomaly_; }

 private:
  struct Block {
    ClientHistory history;
    std::size_t waiting = 0;     // attempts that are still to be replayed
    Moment latest = kBeforeAll;  // when the last of them ended
  };
  struct Waiting {
    Moment order;  // its place, or its end
    Moment began;
    Block* block;
    std::uint32_t attempt;
  };

  static bool writes(const ClientHistory& history, const ClientAttempt& attempt);
  std::vector<Misread> replay_all(std::span<const Waiting> batch, Moment horizon);
  void look_for_misreads(const ClientHistory& history, const ClientAttempt& attempt);
  void look_for_misreads(const ClientHistory& history, const ClientAttempt& attempt,
                         MomentRange time);
  const VersionTable::Version& newest(const RecordName& record);
  void prefetch(std::span<const Waiting> batch, std::size_t next) const;
  void look_at_itself(const ClientHistory& history, const ClientAttempt& attempt);
  std::vector<RecordName> left_out(const ClientHistory& history, const ClientScan& scan);
  void find_ranges(const RecordName& record, ValueDigest value, Moment first);
  void apply(const ClientAccess& access, VersionTable::Record record, Moment since, Moment horizon);
  void compare_final(const FinalValue& found);
  std::vector<const ClientHistory*> remembered() const;
  void judge(std::span<const Misread> misfits);
  void forget(Moment now);

  const std::size_t most_remembered_;
  const bool in_time_;
  InitialValues initial_;
  VersionTable table_;
  ScannedKeys scanned_;
  std::deque<std::unique_ptr<Block>> blocks_;
  std::size_t remembered_ = 0;  // attempts in blocks_
  std::vector<Waiting> waiting_;
  std::vector<MomentRange> ranges_;            // of find_ranges
  std::vector<RecordName> misread_;            // of look_for_misreads
  std::vector<VersionTable::Record> records_;  // of its accesses, if it writes
  std::uint64_t replayed_ = 0;
  Moment horizon_ = kBeforeAll;  // the least that an attempt may still ask about
  bool forgotten_ = false;       // some attempts
  bool misfits_ = false;         // something did not fit, and was no anomaly so far
  std::optional<Anomaly> anomaly_;
};

}  // namespace verbena::txn
